// The quick locks, the engine's lock and the stacks of held locks under ThreadSanitizer: quick_locks.h, engine_lock.h,
// held.h, held.c, waits.c, pool.c and threads.c as they are. What they call of other files does nothing here.

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "CGround/refusals.h"
#include "ground/engine_lock.h"
#include "ground/full_tables.h"
#include "ground/state.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "locks/quick_locks.h"
#include "order/company.h"
#include "threads/swift_tasks.h"
#include "threads/watch_bell.h"
#include "waiting/deadlocks.h"
#include "waiting/waits.h"

enum { ROUNDS = 20000, THREADS = 3 };

CGR_OF_THREAD volatile uint64_t cgr_refusals_expected;
_Atomic uint32_t ctg_engine_word, ctg_slow_path;
bool ctg_has_started = true;
__thread int ctg_busy;
size_t ctg_task_module, ctg_task_offset;
const uint64_t ctg_no_task;
void ctg_mutex_wake_one(pthread_mutex_t *wanted) { (void)wanted; }
void ctg_limit_reached(enum ctg_limit limit) { (void)limit; }
void ctg_watcher_wake(void) {}
int ctg_held_ask_order(struct ctg_thread_state *self, struct ctg_held *taken) { return (void)self, (void)taken, 0; }
void ctg_wait_note_stacks(struct ctg_thread_state *self) { (void)self; }
void ctg_deadlock_look(struct ctg_thread_state *waiter, uint64_t *suspicion) { (void)waiter, (void)suspicion; }
void ctg_deadlock_own(struct ctg_thread_state *self) { (void)self; }

// Of a lock that ThreadSanitizer does not know, for its functions are not called.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int by_mutex, by_rwlock, by_engine;
static _Atomic int at_work = THREADS;
static _Atomic bool is_watched;

static void take_mutex(struct ctg_thread_state *self, const uintptr_t *frame) {
  if (!ctg_mutex_quick_lock(&mutex, self->mutex_user)) {
    struct ctg_held wanted = {.address = (uintptr_t)&mutex};
    ctg_wait_begins(self, &wanted);
    while (!ctg_mutex_quick_lock(&mutex, self->mutex_user)) sched_yield();
    ctg_wait_ends(self);
  }
  ctg_held_push(self, (uintptr_t)&mutex, CTG_MUTEX, 0, 1, frame);
  by_mutex++;
  ctg_held_pop_once(self, (uintptr_t)&mutex);
  ctg_mutex_quick_unlock(&mutex, self->mutex_user);
}

static void take_rwlock(struct ctg_thread_state *self, int round) {
  if (round % 4 == 0 && ctg_rwlock_quick_write(&rwlock, self->id)) {
    by_rwlock++;
    while (!ctg_rwlock_quick_end_writing(&rwlock, self->id)) sched_yield();
    // As glibc's next reader does: the phase of writing ends.
    unsigned writing = CTG_RWLOCK_WRITING;
    __atomic_compare_exchange_n(&rwlock.__data.__readers, &writing, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  } else if (ctg_rwlock_quick_read(&rwlock)) {
    if (by_rwlock < 0) puts("a wrong number");
    while (!ctg_rwlock_quick_end_reading(&rwlock)) sched_yield();
  }
}

static void *takes_locks(void *unused) {
  while (!atomic_load_explicit(&is_watched, memory_order_relaxed)) sched_yield();
  struct ctg_thread_state *self = ctg_thread_attach();
  uintptr_t frame[2] = {0, 0};
  for (int i = 0; i < ROUNDS; ++i) {
    if (i % 100 == 0) sched_yield();
    take_mutex(self, frame);
    take_rwlock(self, i);
    ctg_engine_lock();
    by_engine++;
    ctg_engine_unlock();
  }
  atomic_fetch_sub(&at_work, 1);
  return unused;
}

// As the watching thread looks at all others.
static void *watches(void *unused) {
  while (atomic_load(&at_work) > 0) {
    struct ctg_thread_state *state;
    for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
      if (!atomic_load(&state->is_live)) continue;
      ctg_held_find(state, (uintptr_t)&mutex);
      struct ctg_held wanted;
      if (atomic_load_explicit(&state->waits, memory_order_acquire) & 1) ctg_held_copy(&wanted, &state->wanted);
      if (state->id == 0) puts("a thread without an id");
    }
    __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED);
    atomic_store_explicit(&is_watched, true, memory_order_relaxed);
  }
  return unused;
}

static void thread_ends(struct ctg_thread_state *self) { (void)self; }

int main(void) {
  ctg_threads_prepare(thread_ends);
  pthread_t threads[THREADS], watching;
  pthread_create(&watching, NULL, watches, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, takes_locks, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  pthread_join(watching, NULL);
  bool is_right = by_mutex == THREADS * ROUNDS && by_engine == THREADS * ROUNDS;
  if (!is_right) puts("two threads were inside of one lock");
  return !is_right;
}
