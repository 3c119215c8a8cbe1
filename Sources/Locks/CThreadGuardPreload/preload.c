// The preload library: ThreadGuard's lock checks for programs that do not link it. Starts as the library is loaded.

#include "CThreadGuardPreload.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/state.h"
#include "life/adopted_capture.h"
#include "life/lock_summary.h"
#include "life/start.h"

// Whether this is one of Swift's own programs: named swift… in the folder of the program that was started. `--follow`
// passes through them to the programs that they start, and does not report what they do wrong themselves.
static bool is_swift_itself(void) {
  const char *folder = getenv("CRASHKIT_TOOLCHAIN");
  size_t size = folder ? strlen(folder) : 0;
  char path[PATH_MAX];
  ssize_t length = size ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;
  if (length < 0) return false;
  path[length] = 0;
  static const char name[] = "/swift";
  return strncmp(path, folder, size) == 0 && strncmp(path + size, name, sizeof name - 1) == 0
         && !strchr(path + size + 1, '/');
}

// `crashsym run` names the process that it started, so that children go unobserved unless they are asked for.
static bool is_wanted(void) {
  const char *wanted = getenv("CRASHKIT_RUN");
  if (!wanted) return true;
  if (strcmp(wanted, "follow") == 0) return !is_swift_itself();
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

void threadguard_preload_adopt(const crp_crash_capture *capture) { ctg_capture_adopt(capture); }
