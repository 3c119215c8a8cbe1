// The bell of the watching thread. System calls and plain memory, until the thread is started.

#include "threads/watch_bell.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>

#include "ground/slow_path.h"
#include "ground/state.h"
#include "CGround/syscalls.h"
#include "threads/swift_tasks.h"

enum { NONE, AWAKE, ASLEEP };
static _Atomic uint32_t condition;
static void (*start_watching)(void);

void ctg_watch_bell_prepare(void (*start)(void)) { start_watching = start; }

void ctg_watcher_sleep(void) {
  atomic_store(&condition, ASLEEP);
  if (ctg_task_module) ctg_slow_path_want(CTG_SLOW_WATCHER_SLEEPS);
  while (atomic_load(&condition) == ASLEEP) cgr_syscall4(SYS_futex, &condition, FUTEX_WAIT_PRIVATE, ASLEEP, 0);
}

void ctg_watcher_needed(void) {
  uint32_t seen = atomic_load_explicit(&condition, memory_order_relaxed);
  if (__builtin_expect(seen == AWAKE, 1) || !start_watching) return;
  if (!atomic_compare_exchange_strong(&condition, &seen, AWAKE)) return;
  if (seen == ASLEEP) {
    cgr_syscall3(SYS_futex, &condition, FUTEX_WAKE_PRIVATE, 1);
    return;
  }
  ctg_busy++;
  int error = errno;
  start_watching();
  errno = error;
  ctg_busy--;
}

void ctg_watcher_wake(void) {
  ctg_slow_path_leave(CTG_SLOW_WATCHER_SLEEPS);
  if (atomic_load_explicit(&condition, memory_order_relaxed) == ASLEEP) ctg_watcher_needed();
}

void ctg_watcher_lost(void) { atomic_store(&condition, NONE); }
