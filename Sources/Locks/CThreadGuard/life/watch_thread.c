// The watching thread. It looks four times a second, or more often if limits are short, and sleeps if there is nothing
// to look at. It reports what it has seen twice.

#include "life/watch_thread.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "findings/options.h"
#include "ground/state.h"
#include "CGround/own_threads.h"
#include "threads/swift_tasks.h"
#include "threads/thread_state.h"
#include "threads/watch_bell.h"
#include "waiting/deadlocks.h"
#include "waiting/ended_threads.h"
#include "waiting/freed.h"
#include "waiting/nobody_left.h"
#include "waiting/time_limits.h"

#define LOOK_MS 250
#define IDLE_LOOKS 8
#define STACK_SIZE (256 * 1024)

static bool is_uninterruptible(const struct ctg_held *wanted) {
  return wanted->type == CTG_QUEUE || wanted->type == CTG_THREAD || wanted->type == CTG_SWIFT_MUTEX
         || ctg_is_posted(wanted);
}

// Whether there is anything to look at. Waits are followed only where a quarter of a second has gone by.
static bool look(bool follows_waits) {
  bool is_needed = ctg_options.wait_limit || ctg_options.hold_limit || ctg_options.freed;
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
  unsigned wait = ctg_options.wait_limit, hold = ctg_options.hold_limit;
  unsigned shortest = wait && (!hold || wait < hold) ? wait : hold;
  if (!shortest || shortest >= 4 * LOOK_MS) return LOOK_MS;
  return shortest < 4 ? 1 : shortest / 4;
}

static void *watch(void *unused) {
  ctg_busy++;
  prctl(PR_SET_NAME, "ThreadGuard");
  cgr_own_thread_begins(CGR_OF_THREADGUARD);
  unsigned pause = interval(), passed = 0;
  for (int idle = 0;;) {
    nanosleep(&(struct timespec){.tv_nsec = (long)pause * 1000000l}, NULL);
    passed += pause;
    idle = look(passed >= LOOK_MS) ? 0 : idle + 1;
    if (passed >= LOOK_MS) passed = 0;
    if (idle < IDLE_LOOKS) continue;
    ctg_watcher_sleep();
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
  // If no thread can be made, these waits go unwatched.
  pthread_create(&thread, &attributes, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

void ctg_watch_thread_prepare(void) { ctg_watch_bell_prepare(start); }
