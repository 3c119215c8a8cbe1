// Start and end of lock checking. Ordinary libc.

#include "start.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "lock_options.h"
#include "lock_sections.h"
#include "real.h"
#include "stacks.h"
#include "swift_tasks.h"
#include "thread_state.h"
#include "watcher.h"

bool ctg_has_started;

// Defined in the preload library, which starts by itself.
extern const char ctg_is_preload __attribute__((weak));

// Of "key=value,…" what is about locks.
static void read_options(void) {
  const char *at = getauxval(AT_SECURE) ? NULL : getenv("THREADGUARD_OPTIONS");
  while (at && *at) {
    size_t size = strcspn(at, ",");
    char pair[64];
    if (size < sizeof pair) {
      memcpy(pair, at, size);
      pair[size] = 0;
      char *value = strchr(pair, '=');
      if (value) *value++ = 0;
      if (value) ctg_lock_option(pair, value);
    }
    at += size + (at[size] == ',');
  }
}

void ctg_locks_start(void) {
  if (ctg_has_started) return;
  int error = errno;
  ctg_busy++;
  read_options();
  ctg_real_prepare();
  ctg_stacks_prepare();
  ctg_threads_prepare();
  ctg_tasks_prepare();
  ctg_lock_sections_prepare();
  ctg_has_started = true;
  if (ctg_task_module || ctg_lock_options.wait_limit || ctg_lock_options.hold_limit) ctg_watcher_needed();
  ctg_busy--;
  errno = error;
}

#ifdef THREADGUARD
// In a debug build of a program that links ThreadGuard. A preloaded one gives way to it.
__attribute__((constructor(101))) static void start_linked(void) {
  void (*step_aside)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "threadguard_preload_step_aside");
  if (&ctg_is_preload) return;
  if (step_aside) step_aside();
  ctg_locks_start();
}
#endif

// For a CrashKit in another library, found by name.
__attribute__((visibility("default"))) void threadguard_look_away(int change) { ctg_busy += change; }

void ctg_locks_stop(void) {
  ctg_has_started = false;
  ctg_thread_self = NULL;
}
