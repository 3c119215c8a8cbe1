#pragma once
// The only list of the signals for which a crash report is made. As bits of a kernel mask: 1 << (number - 1).

#include <signal.h>
#include <stdint.h>

#define CGR_SIGNAL_BIT(signal) (1ull << ((signal)-1))

/// The signals of faults: the processor raises them, and the kernel kills a thread that blocks one at its fault.
#define CGR_FAULT_SIGNALS                                                                              \
  (CGR_SIGNAL_BIT(SIGSEGV) | CGR_SIGNAL_BIT(SIGBUS) | CGR_SIGNAL_BIT(SIGILL) | CGR_SIGNAL_BIT(SIGTRAP) \
   | CGR_SIGNAL_BIT(SIGFPE) | CGR_SIGNAL_BIT(SIGSYS))

/// All that have a handler of ours.
#define CGR_HANDLED_SIGNALS (CGR_FAULT_SIGNALS | CGR_SIGNAL_BIT(SIGABRT))

/// glibc keeps two real-time signals for itself.
#define CGR_LIBC_SIGNALS (CGR_SIGNAL_BIT(32) | CGR_SIGNAL_BIT(33))

/// The lowest of a set of signals, taken out of it; 0 once the set is empty. Async-signal-safe.
static inline int cgr_signal_take(uint64_t *signals) {
  if (*signals == 0) return 0;
  int signal = __builtin_ctzll(*signals) + 1;
  *signals &= *signals - 1;
  return signal;
}
