#pragma once
// The one list of the signals that a crash report is made for. As bits of a kernel mask: 1 << (number - 1).

#include <signal.h>
#include <stdint.h>

#define CK_SIGNAL_BIT(signal) (1ull << ((signal)-1))

/// The signals of faults: the processor raises them, and the kernel kills a thread that blocks one at its fault.
#define CK_FAULT_SIGNALS                                                                                         \
  (CK_SIGNAL_BIT(SIGSEGV) | CK_SIGNAL_BIT(SIGBUS) | CK_SIGNAL_BIT(SIGILL) | CK_SIGNAL_BIT(SIGTRAP)                \
   | CK_SIGNAL_BIT(SIGFPE) | CK_SIGNAL_BIT(SIGSYS))

/// All that have a handler of ours.
#define CK_HANDLED_SIGNALS (CK_FAULT_SIGNALS | CK_SIGNAL_BIT(SIGABRT))

/// glibc keeps two real-time signals for itself.
#define CK_LIBC_SIGNALS (CK_SIGNAL_BIT(32) | CK_SIGNAL_BIT(33))

/// The lowest of a set of signals, taken out of it; 0 once the set is empty. Async-signal-safe.
static inline int ck_signal_take(uint64_t *signals) {
  if (*signals == 0) return 0;
  int signal = __builtin_ctzll(*signals) + 1;
  *signals &= *signals - 1;
  return signal;
}
