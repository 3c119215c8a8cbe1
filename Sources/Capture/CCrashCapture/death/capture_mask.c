// The signals that may come while a report is made. System calls only.

#include "death/capture_mask.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "CGround/signals.h"
#include "CGround/syscalls.h"

#define PENDING_MAX 64

// A handler may end the process behind a signal that it has sent itself: that one would never have come.
static void take_back(uint64_t signals) {
  static const struct timespec at_once;
  int left = PENDING_MAX;
  while (left-- > 0 && cgr_syscall4(SYS_rt_sigtimedwait, &signals, NULL, &at_once, 8) > 0) continue;
}

void ck_capture_mask_set(cgr_write_signals *held, const ucontext_t *context) {
  // Only what can mean a fault, and the time limit, may come between: no SIGXFSZ from a full file, no SIGPIPE.
  cgr_write_signals_hold(held);
  // What was sent before and is held back stays so: it is no fault of the capture, and the program may yet exit. But
  // what waits for this handler alone must not keep a fault from coming: of the capture, or of who is called behind it.
  uint64_t for_us = CGR_HANDLED_SIGNALS & ~*(const uint64_t *)&context->uc_sigmask;
  held->before &= ~for_us;
  take_back(for_us);
  uint64_t mask = ~(CGR_HANDLED_SIGNALS | CGR_SIGNAL_BIT(SIGALRM)) | (held->pending & ~for_us);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
}
