#pragma once
// Signals that wait while a thread of the program is in work of ours that no handler may interrupt.

#include <stddef.h>

#include "CGround/signals.h"
#include "CGround/syscalls.h"

/// Holds back the calling thread's signals but for those in `open`, and returns its mask of before. Libc's own stay
/// open, so that a crash can stop the thread, and those of faults, so that ours is reported. Async-signal-safe.
static inline uint64_t cgr_signals_hold(uint64_t open) {
  uint64_t held = ~(CGR_HANDLED_SIGNALS | CGR_LIBC_SIGNALS | open), before = 0;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &held, &before, sizeof held);
  return before;
}

/// Puts the mask back. Async-signal-safe.
static inline void cgr_signals_open(uint64_t before) {
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}
