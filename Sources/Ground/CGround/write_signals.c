// The signals that a write of ours may send. System calls only.

#include "CGround/write_signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "CGround/signals.h"
#include "CGround/syscalls.h"

void cgr_write_signals_hold(cgr_write_signals *held) {
  uint64_t own = CGR_SIGNAL_BIT(SIGPIPE) | CGR_SIGNAL_BIT(SIGXFSZ) | CGR_SIGNAL_BIT(SIGTTOU);
  *held = (cgr_write_signals){0};
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &own, &held->before, 8);
  cgr_syscall2(SYS_rt_sigpending, &held->pending, 8);
}

void cgr_write_signals_take_back(const cgr_write_signals *held, int error) {
  uint64_t sent = error == EPIPE ? CGR_SIGNAL_BIT(SIGPIPE) : error == EFBIG ? CGR_SIGNAL_BIT(SIGXFSZ) : 0;
  struct timespec at_once = {0, 0};
  sent &= ~held->pending;
  if (sent) cgr_syscall4(SYS_rt_sigtimedwait, &sent, NULL, &at_once, 8);
}

void cgr_write_signals_release(const cgr_write_signals *held, int error) {
  cgr_write_signals_take_back(held, error);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &held->before, NULL, 8);
}
