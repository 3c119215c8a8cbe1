// Interposed mutex functions. What they reach takes no interposed lock, allocates nothing and keeps errno.

#ifdef THREADGUARD

#include <errno.h>

#include "ground/state.h"
#include "interposed/mutex_words.h"
#include "threads/swift_tasks.h"

// A recursive mutex that the thread has already counts only.
static inline bool is_again(struct ctg_thread_state *self, const pthread_mutex_t *mutex, unsigned kind) {
  if (!UNLIKELY((kind & KIND_TYPE) == KIND_RECURSIVE) || mutex->__data.__count < 2) return false;
  struct ctg_held *held = ctg_held_find(self, (uintptr_t)mutex);
  if (held) held->again++;
  return held != NULL;
}

static inline __attribute__((always_inline)) void take(struct ctg_thread_state *self, pthread_mutex_t *mutex,
                                                       uint8_t flags, const uintptr_t *frame) {
  unsigned kind = kind_of(mutex);
  ctg_held_slow(self);
  if (is_again(self, mutex, kind)) return;
  uint32_t identity =
      UNLIKELY(kind & KIND_OPAQUE) ? ctg_generation((uintptr_t)mutex) : ctg_identity_in(identity_place(mutex));
  ctg_held_take(self, (uintptr_t)mutex, type_of(kind), flags_of(kind) | flags, identity, frame);
}

static inline bool was_taken(int result) { return result == 0 || result == EOWNERDEAD; }

static int wait_a_while(void *lock, uint8_t flags, const struct timespec *limit) {
  (void)flags;
  // The kernel waits for priority-inheriting ones by the time of day only, before Linux 5.14.
  if (UNLIKELY(kind_of(lock) & KIND_INHERITS_PRIORITY)) return ctg_real.mutex_lock(lock);
  return ctg_real.mutex_clocklock(lock, CLOCK_MONOTONIC, limit);
}

static int wait_for_ever(void *lock, uint8_t flags) {
  (void)flags;
  return ctg_real.mutex_lock(lock);
}

// Another thread has it.
static __attribute__((noinline)) int wait_for(struct ctg_thread_state *self, pthread_mutex_t *mutex,
                                              const uintptr_t *frame) {
  struct ctg_held wanted = place_of(mutex, frame);
  int owner = owner_of(mutex);
  bool is_own = owner == self->id && ctg_held_find(self, (uintptr_t)mutex);
  if (is_own && (kind_of(mutex) & KIND_TYPE) == KIND_ERROR_CHECKING) return ctg_real.mutex_lock(mutex);
  int result = ctg_wait(self, &wanted, is_own, wait_a_while, wait_for_ever);
  if (was_taken(result)) take(self, mutex, 0, frame);
  return result;
}

// glibc marks what it has destroyed, and refuses to lock it; as it refuses what never was a mutex.
static __attribute__((noinline)) void check_refused(struct ctg_thread_state *self, const pthread_mutex_t *mutex,
                                                    const uintptr_t *frame) {
  (void)refuses(self, mutex, frame);
}

// glibc's trylock leaves a robust mutex taken, for ever, that it says is not recoverable. Its timedlock does not.
static int try_to_lock(pthread_mutex_t *mutex) {
  static const struct timespec long_ago;
  if (!UNLIKELY(kind_of(mutex) & KIND_ROBUST)) return ctg_real.mutex_trylock(mutex);
  int result = ctg_real.mutex_timedlock(mutex, &long_ago);
  return result == ETIMEDOUT ? EBUSY : result;
}

// One of another kind than the plain, or the slow way is wanted. Called in the place of the interposed function, whose
// frame is this one.
static __attribute__((noinline)) int lock_other(pthread_mutex_t *mutex) {
  struct ctg_thread_state *self = ctg_self();
  if (!self) return ctg_real.mutex_lock(mutex);
  const uintptr_t *frame = OWN_FRAME;
  int result = try_to_lock(mutex);
  if (UNLIKELY(result == EBUSY)) return wait_for(self, mutex, frame);
  if (was_taken(result)) take(self, mutex, 0, frame);
  if (UNLIKELY(result == EINVAL)) check_refused(self, mutex, frame);
  return result;
}

// A plain one that another thread has.
static __attribute__((noinline)) int lock_contended(pthread_mutex_t *mutex) {
  return wait_for(ctg_thread_self, mutex, OWN_FRAME);
}

INTERPOSED int pthread_mutex_lock(pthread_mutex_t *mutex) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (UNLIKELY(!self || ctg_slow_reasons() || !ctg_mutex_is_plain(mutex))) TAIL_CALL return lock_other(mutex);
  if (UNLIKELY(!ctg_mutex_quick_lock(mutex, self->mutex_user))) TAIL_CALL return lock_contended(mutex);
  return ctg_held_take(self, (uintptr_t)mutex, CTG_MUTEX, 0, ctg_identity_in(identity_place(mutex)), OWN_FRAME);
}

INTERPOSED int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  struct ctg_thread_state *self = ctg_self();
  int result = ctg_real.mutex_trylock(mutex);
  if (self && was_taken(result)) take(self, mutex, CTG_TAKEN_BY_TRY, OWN_FRAME);
  if (UNLIKELY(self && result == EINVAL)) check_refused(self, mutex, OWN_FRAME);
  return result;
}

INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict limit) {
  struct ctg_thread_state *self = ctg_self();
  int result = ctg_real.mutex_timedlock(mutex, limit);
  if (self && was_taken(result)) take(self, mutex, CTG_TAKEN_BY_TRY, OWN_FRAME);
  if (UNLIKELY(self && result == EINVAL)) check_refused(self, mutex, OWN_FRAME);
  return result;
}

INTERPOSED int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                       const struct timespec *restrict limit) {
  struct ctg_thread_state *self = ctg_self();
  int result = ctg_real.mutex_clocklock(mutex, clock, limit);
  if (self && was_taken(result)) take(self, mutex, CTG_TAKEN_BY_TRY, OWN_FRAME);
  if (UNLIKELY(self && result == EINVAL)) check_refused(self, mutex, OWN_FRAME);
  return result;
}

// The thread is not known to hold it. It may have taken it before the start.
static __attribute__((noinline)) void check_owner(struct ctg_thread_state *self, const pthread_mutex_t *mutex,
                                                  const uintptr_t *frame) {
  if (refuses(self, mutex, frame) || !names_owner(kind_of(mutex))) return;
  struct ctg_held place = place_of(mutex, frame);
  int owner = owner_of(mutex);
  if (is_free(mutex))
    ctg_misuse(self, &place, NULL, CTG_RULE_DOUBLE_UNLOCK, "a mutex is unlocked that no thread holds");
  else if (owner != 0 && owner != self->id && ctg_task_now())
    ctg_held_across_await(
        self, &place, NULL,
        "a task unlocks a mutex on another thread than it was locked on: it was held across an await");
  else if (owner != 0 && owner != self->id)
    ctg_misuse(self, &place, NULL, CTG_RULE_UNLOCK_BY_OTHER_THREAD,
               "a mutex is unlocked by a thread that does not hold it");
  if (owner != self->id) ctg_given_back(place.address);
}

// Not the last one, or the slow way is wanted. Called in the place of the interposed function, whose frame is this one.
static __attribute__((noinline)) int unlock_other(pthread_mutex_t *mutex) {
  struct ctg_thread_state *self = ctg_thread_self ? ctg_thread_self : ctg_self();
  // What was taken in the midst of ThreadGuard's own work is given back in it too.
  if (self && !ctg_held_release(self, (uintptr_t)mutex) && !ctg_busy) check_owner(self, mutex, OWN_FRAME);
  return ctg_real.mutex_unlock(mutex);
}

INTERPOSED int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (UNLIKELY(!self || ctg_slow_reasons() || !ctg_mutex_is_plain(mutex) || !ctg_held_pop_once(self, (uintptr_t)mutex)))
    TAIL_CALL return unlock_other(mutex);
  ctg_mutex_quick_unlock(mutex, self->mutex_user);
  return 0;
}

INTERPOSED int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  struct ctg_thread_state *self = ctg_self();
  if (self) {
    struct ctg_held place = ctg_place((uintptr_t)mutex, CTG_MUTEX, 0, OWN_FRAME);
    bool says_so = (kind_of(mutex) & KIND_SHARED) && is_free(mutex);
    ctg_lock_made(self, &place, says_so ? CTG_IS_FREE : CTG_USE_IS_UNKNOWN);
  }
  return ctg_real.mutex_init(mutex, attributes);
}

INTERPOSED int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  struct ctg_thread_state *self = ctg_self();
  if (UNLIKELY(!self)) return ctg_real.mutex_destroy(mutex);
  struct ctg_held place = place_of(mutex, OWN_FRAME);
  int result = ctg_real.mutex_destroy(mutex);
  // After an unlock too many glibc says that it is in use, though no thread has it; and it destroys robust ones that
  // are.
  ctg_lock_destroyed(self, &place, is_free(mutex) ? CTG_IS_FREE : result == EBUSY ? CTG_IS_IN_USE : CTG_USE_IS_UNKNOWN);
  return result;
}

#endif
