// Bytes that an output lost. System calls only.

#include "report/output_state.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "CGround/syscalls.h"

static bool too_large;  // the size limit was met, and SIGXFSZ waits

void ck_output_drop_signals(void) {
  uint64_t own = 1ull << (SIGXFSZ - 1);
  struct timespec at_once = {0, 0};
  if (too_large) ck_syscall4(SYS_rt_sigtimedwait, &own, NULL, &at_once, 8);
  too_large = false;
}

void ck_output_note(ck_output *output, int error) {
  if (error == 0) return;
  too_large |= error == EFBIG;
  output->cut = true;
  if (output->error == 0) output->error = error;
}
