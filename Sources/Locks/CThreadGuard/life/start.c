// Start and end of lock checking. Ordinary libc.

#include "life/start.h"

#include <dlfcn.h>
#include <errno.h>

#include "CGround/look_up.h"
#include "CGround/mapping.h"
#include "CRendezvous/rendezvous.h"
#include "CReportParts/origin.h"
#include "findings/options.h"
#include "findings/violation_end.h"
#include "ground/libc_functions.h"
#include "ground/state.h"
#include "ground/work_stack.h"
#include "life/adopted_capture.h"
#include "life/lock_sections.h"
#include "life/thread_life.h"
#include "life/watch_thread.h"
#include "locks/quick_locks.h"
#include "locks/stacks.h"
#include "noise/perturb_points.h"
#include "threads/swift_tasks.h"
#include "threads/thread_state.h"
#include "threads/watch_bell.h"
#include "violations.h"
#include "waiting/freed.h"

// Defined in the preload library, which starts by itself.
extern const char ctg_is_preload __attribute__((weak));

void ctg_locks_start(void) {
  if (ctg_has_started) return;
  int error = errno;
  ctg_busy++;
  cgr_guard_library_end();
  ctg_work_stacks_prepare();
  ctg_watch_thread_prepare();
  ctg_violations_start();
  crp_origin_prepare();
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
  void (*step_aside)(void) = (void (*)(void))cgr_look_up(RTLD_DEFAULT, RENDEZVOUS_THREADGUARD_STEP_ASIDE);
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
