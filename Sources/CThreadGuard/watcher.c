// The watching thread. It sleeps when nothing waits, looks four times a second when something does, and tells a deadlock
// that it finds twice.

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
#include "thread_state.h"

#define LOOK_MS 250
#define IDLE_LOOKS 8
#define STACK_SIZE (256 * 1024)

enum { NONE, AWAKE, ASLEEP };
static _Atomic uint32_t condition;

static bool is_uninterruptible(const struct ctg_held *wanted) {
  return wanted->type == CTG_QUEUE || wanted->type == CTG_SEMAPHORE || wanted->type == CTG_GROUP
         || wanted->type == CTG_THREAD;
}

// Whether anything waits.
static bool look(void) {
  bool waits = false;
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (!atomic_load(&state->is_live) || !(atomic_load(&state->waits) & 1) || !is_uninterruptible(&state->wanted)) continue;
    waits = true;
    ctg_deadlock_look(state, &state->suspicion);
  }
  return ctg_endings_look() || waits;
}

static void *watch(void *unused) {
  ctg_busy++;
  prctl(PR_SET_NAME, "ThreadGuard");
  for (int idle = 0;;) {
    nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000l}, NULL);
    idle = look() ? 0 : idle + 1;
    if (idle < IDLE_LOOKS) continue;
    atomic_store(&condition, ASLEEP);
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

void ctg_watcher_lost(void) { atomic_store(&condition, NONE); }
