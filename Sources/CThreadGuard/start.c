// Start and end of lock checking. Ordinary libc.

#include "start.h"

#include <dlfcn.h>
#include <errno.h>

#include "adopted_capture.h"
#include "freed.h"
#include "lock_sections.h"
#include "options.h"
#include "perturb_points.h"
#include "quick_locks.h"
#include "real.h"
#include "stacks.h"
#include "state.h"
#include "swift_tasks.h"
#include "thread_life.h"
#include "thread_state.h"
#include "violation_end.h"
#include "violations.h"
#include "watch_bell.h"
#include "watch_thread.h"

// Defined in the preload library, which starts by itself.
extern const char ctg_is_preload __attribute__((weak));

void ctg_locks_start(void) {
  if (ctg_has_started) return;
  int error = errno;
  ctg_busy++;
  ctg_watch_thread_prepare();
  ctg_violations_start();
  ctg_real_prepare();
  ctg_quick_locks_prepare();
  ctg_stacks_prepare();
  ctg_thread_life_prepare();
  ctg_tasks_prepare();
  ctg_lock_sections_prepare();
  ctg_has_started = true;
  ctg_perturb_prepare();
  ctg_freed_prepare();
  bool has_limits = ctg_options.wait_limit || ctg_options.hold_limit;
  if (ctg_task_module || has_limits || ctg_options.freed) ctg_watcher_needed();
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
  ctg_capture_find_preloaded();
}
#endif

// For a CrashKit in another library, found by name.
__attribute__((visibility("default"))) void threadguard_look_away(int change) { ctg_busy += change; }

void ctg_locks_stop(void) {
  ctg_violations_stop();
  ctg_perturb_stop();
  ctg_has_started = false;
  ctg_thread_self = NULL;
}
