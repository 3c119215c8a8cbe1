// What CrashKit does in Swift as the program starts, on a thread of its own. The Swift runtime's locks are no matter of
// fork: a child that is made while that thread holds one waits for it for good. Ordinary code of a living process.

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "CGround/clock.h"
#include "CGround/syscalls.h"
#include "live_capture.h"

// So long a fork waits at most.
#define LONGEST_WAIT_NS 500000000u

static _Atomic uint32_t at_work;  // threads
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

// The thread itself forks in the program's functions alone, and then is not at work.
static void before_fork(void) {
  uint64_t end = cgr_monotonic_ns() + LONGEST_WAIT_NS, now;
  uint32_t threads;
  while ((threads = atomic_load(&at_work)) && (now = cgr_monotonic_ns()) < end) {
    struct timespec rest = {.tv_nsec = (long)(end - now)};
    cgr_syscall4(SYS_futex, &at_work, FUTEX_WAIT_PRIVATE, threads, &rest);
  }
}

// No thread at work is there.
static void in_child(void) { atomic_store(&at_work, 0); }

static void prepare(void) { pthread_atfork(before_fork, NULL, in_child); }

void ck_launch_work_begins(void) {
  pthread_once(&prepared, prepare);
  atomic_fetch_add(&at_work, 1);
}

void ck_launch_work_ends(void) {
  atomic_fetch_sub(&at_work, 1);
  cgr_syscall3(SYS_futex, &at_work, FUTEX_WAKE_PRIVATE, INT32_MAX);
}
