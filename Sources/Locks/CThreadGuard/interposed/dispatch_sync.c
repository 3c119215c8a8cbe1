// Interposed functions of libdispatch that wait: the queue is a lock that the work holds while it runs. They are weak:
// with a static standard library libdispatch's own functions replace them, and ThreadGuard does not see queues.

#ifdef THREADGUARD

#include <stdatomic.h>

#include "current/queue_owner.h"
#include "findings/options.h"
#include "ground/state.h"
#include "interposed/hooks.h"
#include "noise/perturb_points.h"
#include "queues/queue_locks.h"
#include "threads/watch_bell.h"
#include "waiting/deadlocks.h"
#include "work.h"

typedef void (*function)(void *);

// How a block begins (<Block.h>), and the function of those that carry data of libdispatch's own (a DispatchWorkItem),
// which only libdispatch can run.
struct block {
  void *isa;
  int flags, reserved;
  function invoke;
};
extern const function _dispatch_block_special_invoke __attribute__((weak));
extern char _dispatch_main_q[] __attribute__((weak));

#define WEAKLY_INTERPOSED __attribute__((weak, visibility("default")))

// Work on its way to a queue, and the thread that waits for it.
struct sync {
  struct ctg_thread_state *waiter;
  struct ctg_held wanted;
  function work;
  void *context;
  _Atomic bool has_begun;
};

// The frame between libdispatch and the program's work in every stack.
__attribute__((noinline)) static void ctg_run_sync(void *context) {
  struct sync *sync = context;
  // As a rule it is the thread that waited; the main queue's work is run by the main thread.
  bool is_waiter = ctg_thread_self == sync->waiter;
  if (is_waiter) {
    atomic_store(&sync->has_begun, true);
    ctg_wait_ends(sync->waiter);
  }
  void *queue = ctg_queue_work_begins(&sync->wanted);
  sync->work(sync->context);
  ctg_queue_work_ends(queue);
}

static bool is_special(const struct block *block) {
  return &_dispatch_block_special_invoke && block->invoke == _dispatch_block_special_invoke;
}

// Calls `real`, which takes a function, so that ThreadGuard can note its start and its end.
static void ctg_run_on(struct ctg_thread_state *self, void *queue, void *context, function work,
                       void (*real)(void *, void *, function), const uintptr_t *frame) {
  struct sync sync = {.waiter = self,
                      .wanted = ctg_place((uintptr_t)queue, CTG_QUEUE, CTG_LOCK_IS_OPAQUE, frame),
                      .work = work,
                      .context = context};
  atomic_fetch_add_explicit(&ctg_queue_syncs, 1, memory_order_relaxed);
  ctg_boundary();
  sync.wanted.identity = ctg_generation((uintptr_t)queue);
  // Work that came to a queue of its own accord holds that queue too.
  void *own = ctg_queue_work_begins(NULL);
  // The main thread runs what waits for its queue, with locks of its own.
  if (queue == (void *)_dispatch_main_q) ctg_queue_ask_order(self, &sync.wanted);
  ctg_wait_begins(self, &sync.wanted);
  ctg_watcher_needed();
  // libdispatch ends the process without a word.
  const struct ctg_held *held = ctg_held_find(self, (uintptr_t)queue);
  if (UNLIKELY(held && !(held->flags & CTG_TAKEN_SHARED)))
    ctg_deadlock_own(self);
  else if (UNLIKELY(self->depth && !ctg_busy && ctg_queue_is_busy((uintptr_t)queue)))
    ctg_queue_note_wait(self);
  real(queue, &sync, ctg_run_sync);
  if (!atomic_load(&sync.has_begun)) ctg_wait_ends(self);
  ctg_queue_work_ends(own);
  ctg_boundary();
}

#define SYNC(name)                                                                                       \
  static __attribute__((noinline)) void ctg_own_##name(void *queue, void *block) {                       \
    struct ctg_thread_state *self = ctg_self();                                                          \
    if (!self || is_special(block)) {                                                                    \
      DISPATCH_REAL(name)(queue, block);                                                                 \
      return;                                                                                            \
    }                                                                                                    \
    ctg_run_on(self, queue, block, ((struct block *)block)->invoke, DISPATCH_REAL(name##_f), OWN_FRAME); \
  }                                                                                                      \
  static __attribute__((noinline)) void ctg_own_##name##_f(void *queue, void *context, function work) {  \
    struct ctg_thread_state *self = ctg_self();                                                          \
    typeof(name##_f) *real = DISPATCH_REAL(name##_f);                                                    \
    if (!self)                                                                                           \
      real(queue, context, work);                                                                        \
    else                                                                                                 \
      ctg_run_on(self, queue, context, work, real, OWN_FRAME);                                           \
  }                                                                                                      \
  WEAKLY_INTERPOSED void name(void *queue, void *block) __attribute__((alias("ctg_own_" #name)));        \
  WEAKLY_INTERPOSED void name##_f(void *queue, void *context, function work)                             \
      __attribute__((alias("ctg_own_" #name "_f")));

SYNC(dispatch_sync)

static bool queues_are_seen(void) { return (void *)dispatch_sync_f == (void *)ctg_own_dispatch_sync_f; }

SYNC(dispatch_barrier_sync)
SYNC(dispatch_async_and_wait)
SYNC(dispatch_barrier_async_and_wait)

void ctg_guarded_sync(void *queue, void *context, function work) {
  struct ctg_thread_state *self = queues_are_seen() ? NULL : ctg_self();
  if (!self)
    dispatch_sync_f(queue, context, work);
  else
    ctg_run_on(self, queue, context, work, dispatch_sync_f, OWN_FRAME);
}

// --- Queues that are made ----------------------------------------------------------------------------------------

static void *made(void *queue) {
  struct ctg_thread_state *self = ctg_self();
  if (self && queue) ctg_lock_renewed((uintptr_t)queue);
  return queue;
}

WEAKLY_INTERPOSED void *dispatch_queue_create(const char *label, void *attributes) {
  return made(DISPATCH_REAL(dispatch_queue_create)(label, attributes));
}

WEAKLY_INTERPOSED void *dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
  return made(DISPATCH_REAL(dispatch_queue_create_with_target)(label, attributes, target));
}

#endif
