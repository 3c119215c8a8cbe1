// Interposed waits for conditions: the mutex is released during the wait, and then taken again. They remain
// cancellation points: libc's own function, called once, decides.

#ifdef THREADGUARD

#include <errno.h>

#include "ground/state.h"
#include "interposed/mutex_words.h"
#include "order/company.h"

// A wait under way. Cancelled, libc takes the mutex before the program's clean-up runs.
struct condition_wait {
  struct ctg_thread_state *self;
  struct ctg_held held;
  uint64_t task;
};

// The thread is not known to hold the mutex; it may have taken it before the start. The wait unlocks it in any case.
static __attribute__((noinline)) void check_owner(struct ctg_thread_state *self, const pthread_mutex_t *mutex,
                                                  const uintptr_t *frame) {
  // What was taken in the midst of ThreadGuard's own work is not known.
  if (ctg_busy || refuses(self, mutex, frame)) return;
  struct ctg_held place = place_of(mutex, frame);
  int owner = owner_of(mutex);
  if (is_free(mutex)) {
    ctg_misuse(self, &place, NULL, CTG_RULE_WAIT_WITHOUT_MUTEX,
               "a thread waits for a condition with a mutex that no thread holds");
  } else if (names_owner(kind_of(mutex)) && owner != 0 && owner != self->id) {
    ctg_misuse(self, &place, NULL, CTG_RULE_WAIT_WITHOUT_MUTEX,
               "a thread waits for a condition with a mutex that another thread holds");
    ctg_given_back(place.address);
  }
}

// The thread holds it, as a lock of another kind.
static __attribute__((noinline)) bool refuse(struct ctg_thread_state *self, const struct ctg_held *held,
                                             const uintptr_t *frame) {
  struct ctg_held place = ctg_place(held->address, (enum ctg_lock_type)held->type, held->flags, frame), taken = *held;
  place.identity = held->identity;
  ctg_misuse(self, &place, &taken, CTG_RULE_NOT_A_MUTEX,
             "a thread waits for a condition with a lock that is not a mutex");
  return false;
}

static bool begin(struct condition_wait *wait, pthread_mutex_t *mutex, bool has_limit, const uintptr_t *frame) {
  struct ctg_thread_state *self = ctg_self();
  struct ctg_held *held = self ? ctg_held_find(self, (uintptr_t)mutex) : NULL;
  if (UNLIKELY(self && (!held || !ctg_has_still(held)))) check_owner(self, mutex, frame);
  if (!held) return false;
  if (UNLIKELY(held->type != CTG_MUTEX && held->type != CTG_RECURSIVE_MUTEX)) return refuse(self, held, frame);
  wait->self = self;
  wait->held = *held;
  wait->task = self->tasks[held - self->held];
  ctg_held_remove(self, held);
  uint32_t others = self->depth;
  while (others && !ctg_has_still(&self->held[others - 1])) --others;
  if (others && !has_limit) {
    const struct ctg_held *other = &self->held[others - 1];
    struct ctg_held place = ctg_place(other->address, (enum ctg_lock_type)other->type, other->flags, frame),
                    taken = *other;
    ctg_misuse(self, &place, &taken, CTG_RULE_WAIT_WHILE_HOLDING_LOCK, NULL);
  }
  return true;
}

// Taken again: where other locks are held, that is an order like any.
static void take_again(struct condition_wait *wait, const uintptr_t *frame) {
  const struct ctg_held *was = &wait->held;
  uint8_t flags = was->flags & ~(CTG_TAKEN_BY_TRY | CTG_STACK_IS_KEPT | CTG_GIVEN_BACK | CTG_TAKEN_BEFORE_FORK);
  ctg_held_take(wait->self, was->address, (enum ctg_lock_type)was->type, flags, was->identity, frame);
  struct ctg_held *held = &wait->self->held[wait->self->depth - 1];
  if (held->address != was->address) return;
  held->again = was->again;
}

static void on_cancel(void *context) {
  struct condition_wait *wait = context;
  if (wait->self->depth == CTG_HELD_MAX) return;
  wait->self->held[wait->self->depth] = wait->held;
  wait->self->tasks[wait->self->depth++] = wait->task;
  ctg_held_rehash(wait->self, wait->self->depth - 1);
}

#define WAIT(has_limit, call)                                  \
  struct condition_wait wait;                                  \
  if (!begin(&wait, mutex, has_limit, OWN_FRAME)) return call; \
  int result;                                                  \
  pthread_cleanup_push(on_cancel, &wait);                      \
  result = call;                                               \
  pthread_cleanup_pop(0);                                      \
  take_again(&wait, OWN_FRAME);                                \
  return result;

INTERPOSED int pthread_cond_wait(pthread_cond_t *restrict condition,
                                 pthread_mutex_t *restrict mutex){WAIT(false, ctg_real.cond_wait(condition, mutex))}

INTERPOSED int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                      const struct timespec *restrict limit){
    WAIT(true, ctg_real.cond_timedwait(condition, mutex, limit))}

INTERPOSED int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                      clockid_t clock, const struct timespec *restrict limit) {
  WAIT(true, ctg_real.cond_clockwait(condition, mutex, clock, limit))
}

#endif
