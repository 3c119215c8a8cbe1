// Interposed functions of locks for readers and writers. What they reach takes no interposed lock, allocates nothing
// and keeps errno.

#ifdef THREADGUARD

#include <errno.h>

#include "ground/state.h"
#include "interposed/hooks.h"

static inline uint8_t flags_of(const pthread_rwlock_t *lock) {
  uint8_t flags = lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP ? CTG_LOCK_PREFERS_WRITERS : 0;
  return UNLIKELY(lock->__data.__shared) ? flags | CTG_LOCK_IS_OPAQUE : flags;
}

static inline uint32_t identity_of(const pthread_rwlock_t *lock) {
  if (UNLIKELY(lock->__data.__shared)) return ctg_generation((uintptr_t)lock);
  return __atomic_load_n(&lock->__data.__pad3, __ATOMIC_RELAXED);
}

// An unlock too many leaves a number of readers that is below 0.
static bool has_readers(unsigned readers) { return readers >= CTG_RWLOCK_READER && !(readers & CTG_RWLOCK_BELOW_ZERO); }

static bool is_in_use(const pthread_rwlock_t *lock) {
  unsigned readers = __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED);
  return has_readers(readers) || (readers & CTG_RWLOCK_WRITER);
}

static inline __attribute__((always_inline)) void take(struct ctg_thread_state *self, pthread_rwlock_t *lock,
                                                       uint8_t flags, const uintptr_t *frame) {
  ctg_held_slow(self);
  uint32_t identity =
      UNLIKELY(lock->__data.__shared) ? ctg_generation((uintptr_t)lock) : ctg_identity_in(&lock->__data.__pad3);
  ctg_held_take(self, (uintptr_t)lock, CTG_RWLOCK, flags_of(lock) | flags, identity, frame);
}

static struct ctg_held place_of(const pthread_rwlock_t *lock, uint8_t flags, const uintptr_t *frame) {
  struct ctg_held place = ctg_place((uintptr_t)lock, CTG_RWLOCK, flags_of(lock) | flags, frame);
  place.identity = identity_of(lock);
  return place;
}

static int wait_a_while(void *lock, uint8_t flags, const struct timespec *limit) {
  if (flags & CTG_TAKEN_SHARED) return ctg_real.rwlock_clockrdlock(lock, CLOCK_MONOTONIC, limit);
  return ctg_real.rwlock_clockwrlock(lock, CLOCK_MONOTONIC, limit);
}

static int wait_for_ever(void *lock, uint8_t flags) {
  return flags & CTG_TAKEN_SHARED ? ctg_real.rwlock_rdlock(lock) : ctg_real.rwlock_wrlock(lock);
}

static __attribute__((noinline)) int wait_for(struct ctg_thread_state *self, pthread_rwlock_t *lock, uint8_t flags,
                                              const uintptr_t *frame) {
  struct ctg_held wanted = place_of(lock, flags, frame);
  const struct ctg_held *held = ctg_held_find(self, (uintptr_t)lock);
  // A reader that waits behind a writer is let in once that one is through: that is a cycle of two threads.
  bool is_own =
      held && ctg_has_still(held)
      && ((held->flags & CTG_TAKEN_SHARED) ? !(flags & CTG_TAKEN_SHARED) : lock->__data.__cur_writer == self->id);
  int result = ctg_wait(self, &wanted, is_own, wait_a_while, wait_for_ever);
  if (result == 0) take(self, lock, flags, frame);
  return result;
}

// The next two are called in the place of the interposed functions, whose frames are theirs.
static __attribute__((noinline)) int read_other(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (!self) return ctg_real.rwlock_rdlock(lock);
  const uintptr_t *frame = OWN_FRAME;
  int result = ctg_real.rwlock_tryrdlock(lock);
  if (UNLIKELY(result == EBUSY)) return wait_for(self, lock, CTG_TAKEN_SHARED, frame);
  if (result == 0) take(self, lock, CTG_TAKEN_SHARED, frame);
  return result;
}

static __attribute__((noinline)) int write_other(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (!self) return ctg_real.rwlock_wrlock(lock);
  const uintptr_t *frame = OWN_FRAME;
  int result = ctg_real.rwlock_trywrlock(lock);
  if (UNLIKELY(result == EBUSY)) return wait_for(self, lock, 0, frame);
  if (result == 0) take(self, lock, 0, frame);
  return result;
}

INTERPOSED int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (UNLIKELY(!self || ctg_slow_reasons() || !ctg_rwlock_is_plain(lock) || !ctg_rwlock_quick_read(lock)))
    TAIL_CALL return read_other(lock);
  return ctg_held_take(self, (uintptr_t)lock, CTG_RWLOCK, CTG_TAKEN_SHARED, ctg_identity_in(&lock->__data.__pad3),
                       OWN_FRAME);
}

INTERPOSED int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (UNLIKELY(!self || ctg_slow_reasons() || !ctg_rwlock_is_plain(lock) || !ctg_rwlock_quick_write(lock, self->id)))
    TAIL_CALL return write_other(lock);
  return ctg_held_take(self, (uintptr_t)lock, CTG_RWLOCK, 0, ctg_identity_in(&lock->__data.__pad3), OWN_FRAME);
}

#define TRIES(name, flags, parameters, arguments)                                     \
  INTERPOSED int pthread_##name parameters {                                          \
    struct ctg_thread_state *self = ctg_self();                                       \
    int result = ctg_real.name arguments;                                             \
    if (self && result == 0) take(self, lock, (flags) | CTG_TAKEN_BY_TRY, OWN_FRAME); \
    return result;                                                                    \
  }

TRIES(rwlock_tryrdlock, CTG_TAKEN_SHARED, (pthread_rwlock_t * lock), (lock))
TRIES(rwlock_trywrlock, 0, (pthread_rwlock_t * lock), (lock))
TRIES(rwlock_timedrdlock, CTG_TAKEN_SHARED, (pthread_rwlock_t *restrict lock, const struct timespec *restrict limit),
      (lock, limit))
TRIES(rwlock_timedwrlock, 0, (pthread_rwlock_t *restrict lock, const struct timespec *restrict limit), (lock, limit))
TRIES(rwlock_clockrdlock, CTG_TAKEN_SHARED,
      (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict limit), (lock, clock, limit))
TRIES(rwlock_clockwrlock, 0, (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict limit),
      (lock, clock, limit))

// The thread is not known to hold it; it may have taken it before the start.
static __attribute__((noinline)) void check_owner(struct ctg_thread_state *self, const pthread_rwlock_t *lock,
                                                  const uintptr_t *frame) {
  if (lock->__data.__shared) return;
  struct ctg_held place = place_of(lock, 0, frame);
  unsigned readers = __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED);
  int writer = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
  if (!has_readers(readers) && !(readers & CTG_RWLOCK_WRITER)) {
    ctg_misuse(self, &place, NULL, CTG_RULE_DOUBLE_UNLOCK, "a read-write lock is unlocked that no thread holds");
  } else if (writer ? writer != self->id : readers / CTG_RWLOCK_READER == ctg_threads_holding(place.address)) {
    ctg_misuse(self, &place, NULL, CTG_RULE_UNLOCK_BY_OTHER_THREAD,
               "a read-write lock is unlocked by a thread that does not hold it");
    ctg_given_back(place.address);
  }
}

// Not the last one, or the slow way is wanted. Called in the place of the interposed function, whose frame is this one.
static __attribute__((noinline)) int unlock_other(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_thread_self ? ctg_thread_self : ctg_self();
  // What was taken in the midst of ThreadGuard's own work is given back in it too.
  if (self && !ctg_held_release(self, (uintptr_t)lock) && !ctg_busy) check_owner(self, lock, OWN_FRAME);
  return ctg_real.rwlock_unlock(lock);
}

INTERPOSED int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (UNLIKELY(!self || ctg_slow_reasons() || !ctg_rwlock_is_plain(lock) || !ctg_held_pop_once(self, (uintptr_t)lock)))
    TAIL_CALL return unlock_other(lock);
  bool was_reading = self->held[self->depth].flags & CTG_TAKEN_SHARED;
  if (UNLIKELY(was_reading ? !ctg_rwlock_quick_end_reading(lock) : !ctg_rwlock_quick_end_writing(lock, self->id)))
    return ctg_real.rwlock_unlock(lock);
  return 0;
}

INTERPOSED int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attributes) {
  struct ctg_thread_state *self = ctg_self();
  if (self) {
    struct ctg_held place = ctg_place((uintptr_t)lock, CTG_RWLOCK, 0, OWN_FRAME);
    ctg_lock_made(self, &place, lock->__data.__shared && !is_in_use(lock) ? CTG_IS_FREE : CTG_USE_IS_UNKNOWN);
  }
  return ctg_real.rwlock_init(lock, attributes);
}

// glibc destroys whatever it is given.
INTERPOSED int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (UNLIKELY(!self)) return ctg_real.rwlock_destroy(lock);
  struct ctg_held place = place_of(lock, 0, OWN_FRAME);
  ctg_lock_destroyed(self, &place, is_in_use(lock) ? CTG_IS_IN_USE : CTG_IS_FREE);
  return ctg_real.rwlock_destroy(lock);
}

#endif
