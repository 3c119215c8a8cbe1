// The preload library: ThreadGuard's lock checks for programs that do not link it. Starts as the library is loaded.

#include "CThreadGuardPreload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adopted_capture.h"
#include "lock_summary.h"
#include "start.h"

// `crashsym run` names the process that it started, so that children go unobserved unless they are asked for.
static int is_wanted(void) {
  const char *wanted = getenv("CRASHKIT_RUN");
  if (!wanted || strcmp(wanted, "follow") == 0) return 1;
  return strtol(wanted, NULL, 10) == (long)getpid();
}

// Says to what is compiled along that this library starts by itself. Hidden: a program's own ThreadGuard asks as well.
__attribute__((visibility("hidden"))) const char ctg_is_preload = 1;

// A child of fork that goes on has nothing of its own to sum up.
static pid_t started_in;
static bool is_run;

__attribute__((constructor(101))) static void start(void) {
  if (!is_wanted()) return;
  started_in = getpid();
  is_run = getenv("CRASHKIT_RUN") != NULL;
  ctg_lock_summary_prepare();
  ctg_locks_start();
}

__attribute__((destructor(101))) static void end(void) {
  if (ctg_has_started && started_in == getpid()) ctg_lock_summary_say(is_run);
}

void threadguard_preload_step_aside(void) { ctg_locks_stop(); }

void threadguard_preload_adopt(const ck_crash_capture *capture) { ctg_capture_adopt(capture); }
