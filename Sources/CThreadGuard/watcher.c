// The watching thread. It looks four times a second, more often where limits are short, and sleeps when there is nothing
// to look at. Whatever it tells it has seen twice.

#include "watcher.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "deadlocks.h"
#include "endings.h"
#include "engine_lock.h"
#include "freed.h"
#include "state.h"
#include "time_limits.h"
#include "lock_options.h"
#include "nobody_left.h"
#include "own_threads.h"
#include "slow_path.h"
#include "swift_tasks.h"
#include "thread_state.h"

#define LOOK_MS 250
#define IDLE_LOOKS 8
#define STACK_SIZE (256 * 1024)

enum { NONE, AWAKE, ASLEEP };
static _Atomic uint32_t condition;

static bool is_uninterruptible(const struct ctg_held *wanted) {
  return wanted->type == CTG_QUEUE || wanted->type == CTG_THREAD || ctg_is_posted(wanted);
}

// Whether there is anything to look at. Waits are followed only where a quarter of a second has gone by.
static bool look(bool follows_waits) {
  bool is_needed = ctg_lock_options.wait_limit || ctg_lock_options.hold_limit || ctg_lock_options.freed;
  bool some_wait_for_posts = false;
  static uint64_t suspicion;
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (!atomic_load(&state->is_live)) continue;
    bool goes_on = atomic_load(&state->ending) == CTG_GOES_ON;
    if (goes_on && ctg_task_module) {
      ctg_await_look(state, i);
      is_needed |= state->depth > 0;
    }
    if (goes_on) ctg_limits_look(state, i);
    if (goes_on) ctg_freed_look(state);
    if (!(atomic_load(&state->waits) & 1) || !is_uninterruptible(&state->wanted)) continue;
    is_needed = true;
    if (follows_waits) ctg_deadlock_look(state, &state->suspicion);
    some_wait_for_posts |= ctg_is_posted(&state->wanted) && state->depth > 0;
  }
  if (some_wait_for_posts && follows_waits) ctg_nobody_left_look(&suspicion);
  return (follows_waits && ctg_endings_look()) || is_needed;
}

// A limit is missed by a quarter of it at most.
static unsigned interval(void) {
  unsigned wait = ctg_lock_options.wait_limit, hold = ctg_lock_options.hold_limit;
  unsigned shortest = wait && (!hold || wait < hold) ? wait : hold;
  if (!shortest || shortest >= 4 * LOOK_MS) return LOOK_MS;
  return shortest < 4 ? 1 : shortest / 4;
}

static void *watch(void *unused) {
  ctg_busy++;
  prctl(PR_SET_NAME, "ThreadGuard");
  ck_own_thread_begins(CK_OF_THREADGUARD);
  unsigned pause = interval(), passed = 0;
  for (int idle = 0;;) {
    nanosleep(&(struct timespec){.tv_nsec = (long)pause * 1000000l}, NULL);
    passed += pause;
    idle = look(passed >= LOOK_MS) ? 0 : idle + 1;
    if (passed >= LOOK_MS) passed = 0;
    if (idle < IDLE_LOOKS) continue;
    atomic_store(&condition, ASLEEP);
    if (ctg_task_module) ctg_slow_path_want(CTG_SLOW_WATCHER_SLEEPS);
    while (atomic_load(&condition) == ASLEEP) ck_syscall4(SYS_futex, &condition, FUTEX_WAIT_PRIVATE, ASLEEP, 0);
    idle = 0;
  }
  return unused;
}

static void start(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  // Where there is no thread to be had, these waits go unwatched.
  pthread_create(&thread, &attributes, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

void ctg_watcher_needed(void) {
  uint32_t seen = atomic_load_explicit(&condition, memory_order_relaxed);
  if (__builtin_expect(seen == AWAKE, 1)) return;
  if (!atomic_compare_exchange_strong(&condition, &seen, AWAKE)) return;
  if (seen == ASLEEP) {
    ck_syscall3(SYS_futex, &condition, FUTEX_WAKE_PRIVATE, 1);
    return;
  }
  ctg_busy++;
  int error = errno;
  start();
  errno = error;
  ctg_busy--;
}

void ctg_watcher_wake(void) {
  ctg_slow_path_leave(CTG_SLOW_WATCHER_SLEEPS);
  if (atomic_load_explicit(&condition, memory_order_relaxed) == ASLEEP) ctg_watcher_needed();
}

void ctg_watcher_lost(void) { atomic_store(&condition, NONE); }
