#pragma once
// Holds signals back while a thread of the program runs code of this package that no handler may interrupt.

#include <stddef.h>

#include "CGround/signals.h"
#include "CGround/syscalls.h"

/// Holds back the calling thread's signals but for those in `open`, and returns those that the thread had not blocked
/// itself. Libc's own stay open, so that a crash can stop the thread, and those of faults, so that ours is reported.
/// Async-signal-safe.
static inline uint64_t cgr_signals_hold(uint64_t open) {
  uint64_t held = ~(CGR_HANDLED_SIGNALS | CGR_LIBC_SIGNALS | open), before = 0;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &held, &before, sizeof held);
  return held & ~before;
}

/// Lets them come. What the thread has done to its mask meanwhile stays. Async-signal-safe.
static inline void cgr_signals_open(uint64_t held) {
  cgr_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &held, NULL, sizeof held);
}
