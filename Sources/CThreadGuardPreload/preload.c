// The preload library: ThreadGuard's lock checks for programs that do not link it. Starts as the library is loaded.

#include "CThreadGuardPreload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "start.h"

// `crashsym run` names the process that it started, so that children go unobserved unless they are asked for.
static int is_wanted(void) {
  const char *wanted = getenv("CRASHKIT_RUN");
  if (!wanted || strcmp(wanted, "follow") == 0) return 1;
  return strtol(wanted, NULL, 10) == (long)getpid();
}

__attribute__((constructor)) static void start(void) {
  if (is_wanted()) ctg_locks_start();
}

void threadguard_preload_step_aside(void) { ctg_locks_stop(); }
