// The signals that a write of ours may send. System calls only.

#include "CGround/write_signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "CGround/signals.h"
#include "CGround/syscalls.h"

void ck_write_signals_hold(ck_write_signals *held) {
  uint64_t own = CK_SIGNAL_BIT(SIGPIPE) | CK_SIGNAL_BIT(SIGXFSZ) | CK_SIGNAL_BIT(SIGTTOU);
  *held = (ck_write_signals){0};
  ck_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &own, &held->before, 8);
  ck_syscall2(SYS_rt_sigpending, &held->pending, 8);
}

void ck_write_signals_take_back(const ck_write_signals *held, int error) {
  uint64_t sent = error == EPIPE ? CK_SIGNAL_BIT(SIGPIPE) : error == EFBIG ? CK_SIGNAL_BIT(SIGXFSZ) : 0;
  struct timespec at_once = {0, 0};
  sent &= ~held->pending;
  if (sent) ck_syscall4(SYS_rt_sigtimedwait, &sent, NULL, &at_once, 8);
}

void ck_write_signals_release(const ck_write_signals *held, int error) {
  ck_write_signals_take_back(held, error);
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &held->before, NULL, 8);
}
