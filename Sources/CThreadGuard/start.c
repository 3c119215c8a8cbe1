// Start and end of lock checking. Ordinary libc.

#include "start.h"

#include <errno.h>

#include "real.h"
#include "stacks.h"
#include "thread_state.h"

bool ctg_has_started;

void ctg_locks_start(void) {
  if (ctg_has_started) return;
  int error = errno;
  ctg_busy++;
  ctg_real_prepare();
  ctg_stacks_prepare();
  ctg_threads_prepare();
  ctg_has_started = true;
  ctg_busy--;
  errno = error;
}

void ctg_locks_stop(void) { ctg_has_started = false; }
