// Which locks of ours, and which work, a fork waits for. Ordinary code of a living process, except what live_locks.h
// calls async-signal-safe.

#include "live/live_locks.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "CGround/clock.h"
#include "CGround/held_signals.h"
#include "CGround/lock.h"
#include "CGround/syscalls.h"
#include "processor/settings.h"
#include "threads/live_threads.h"

// So long a fork waits at most for work, and work for a fork.
#define LONGEST_WAIT_NS 500000000u

static cgr_lock taking;
// Held while images are found and stacks are taken: a fork in the middle of that would leave the loader's lock or
// libunwind's to the child for good. Writing may take longer, and no fork waits for it.
static cgr_lock unwinding;
// Threads that are at work in Swift, whose runtime's locks are no matter of fork: a child that is made while one of
// them holds such a lock waits for it for good.
static _Atomic uint32_t at_work;
static _Atomic uint32_t forks;  // under way: no work begins
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

// Counts what this thread has begun that takes one of the locks.
static _Thread_local __attribute__((tls_model("initial-exec"))) volatile int own_work;
static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t held_in_fork;

// --- Work in Swift -----------------------------------------------------------------------------------------------

// Until it is 0, or the time is up.
static void await_none(_Atomic uint32_t *count) {
  uint64_t end = cgr_monotonic_ns() + LONGEST_WAIT_NS, now;
  uint32_t left;
  while ((left = atomic_load(count)) && (now = cgr_monotonic_ns()) < end) {
    struct timespec rest = {.tv_nsec = (long)(end - now)};
    cgr_syscall4(SYS_futex, count, FUTEX_WAIT_PRIVATE, left, &rest);
  }
}

static void drop(_Atomic uint32_t *count) {
  atomic_fetch_sub(count, 1);
  cgr_syscall3(SYS_futex, count, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

// A fork that has seen no work must not find any when the child comes to be: it counts itself first, as work does.
void ck_live_work_begins(void) {
  ck_live_watch_forks();
  atomic_fetch_add(&at_work, 1);
  if (!atomic_load(&forks)) return;
  drop(&at_work);
  await_none(&forks);
  atomic_fetch_add(&at_work, 1);
}

void ck_live_work_ends(void) { drop(&at_work); }

// --- Forks -------------------------------------------------------------------------------------------------------

// A thread at work forks in the program's functions alone, and then is not at work. A handler of the program that came
// meanwhile might fork too, or jump out. Who asks for all threads gets an answer.
static void before_fork(void) {
  int asking = ck_current_settings.on_signal;
  held_in_fork = cgr_signals_hold(asking != 0 ? CGR_SIGNAL_BIT(asking) : 0);
  ++own_work;
  atomic_fetch_add(&forks, 1);
  await_none(&at_work);
  cgr_lock_take(&unwinding);
}
static void after_fork(void) {
  cgr_lock_release(&unwinding);
  drop(&forks);
  --own_work;
  cgr_signals_open(held_in_fork);
}
// No other thread is there.
static void in_child(void) {
  own_work = 0;
  unwinding = taking = (cgr_lock){0};
  atomic_store(&at_work, 0);
  atomic_store(&forks, 0);
  ck_live_forget();
  cgr_signals_open(held_in_fork);
}
static void prepare(void) { pthread_atfork(before_fork, after_fork, in_child); }

void ck_live_watch_forks(void) { pthread_once(&prepared, prepare); }

// --- The locks ---------------------------------------------------------------------------------------------------

bool ck_live_is_at_work_here(void) { return own_work > 0; }

void ck_live_lock(void) {
  ++own_work;
  cgr_lock_take(&taking);
}
void ck_live_unlock(void) {
  cgr_lock_release(&taking);
  --own_work;
}
bool ck_live_try_lock(void) {
  if (!cgr_lock_try(&taking)) return false;
  ++own_work;
  return true;
}

void ck_live_begin_stacks(uint64_t *held) {
  *held = cgr_signals_hold(0);
  cgr_lock_take(&unwinding);
}
void ck_live_end_stacks(const uint64_t *held) {
  cgr_lock_release(&unwinding);
  cgr_signals_open(*held);
}
bool ck_live_try_stacks(void) { return cgr_lock_try(&unwinding); }
void ck_live_leave_stacks(void) { cgr_lock_release(&unwinding); }
