// The ends of threads, and forks. Ordinary libc, none of it interposed, and no allocation.

#include "life/thread_life.h"

#include <pthread.h>

#include "CGround/held_signals.h"
#include "ground/engine_lock.h"
#include "ground/state.h"
#include "ground/work_stack.h"
#include "threads/thread_state.h"
#include "threads/watch_bell.h"
#include "waiting/ended_threads.h"

static __thread uint64_t held_in_fork __attribute__((tls_model("initial-exec")));

static void thread_ends(struct ctg_thread_state *self) {
  bool is_kept = ctg_ending_leaves_locks(self);
  ctg_thread_detach();
  if (!is_kept) ctg_thread_release(self);
}

// The child has one thread, with the locks that it held. What the others held is no thread's any more.
// Handlers that were there before ours run between these, and lock. None of that is watched, for the engine is taken.
// A handler of the program that came meanwhile might fork too, or jump out.
static void before_fork(void) {
  held_in_fork = cgr_signals_hold(0);
  ctg_busy++;
  ctg_engine_lock();
}

static void after_fork_in_parent(void) {
  ctg_engine_unlock();
  ctg_busy--;
  cgr_signals_open(held_in_fork);
}

static void after_fork_in_child(void) {
  ctg_engine_unlock();
  ctg_work_stacks_fork();
  ctg_busy--;
  ctg_threads_fork();
  ctg_watcher_lost();
  cgr_signals_open(held_in_fork);
}

void ctg_thread_life_prepare(void) {
  ctg_threads_prepare(thread_ends);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
