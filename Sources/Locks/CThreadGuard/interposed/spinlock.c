// Interposed spinlock functions. What they reach takes no interposed lock, allocates nothing and keeps errno.

#ifdef THREADGUARD

#include <errno.h>

#include "ground/state.h"
#include "interposed/hooks.h"

#define TRIES_PER_LOOK 4096

static inline __attribute__((always_inline)) void take(struct ctg_thread_state *self, pthread_spinlock_t *lock,
                                                       uint8_t flags, const uintptr_t *frame) {
  uintptr_t address = (uintptr_t)lock;
  ctg_held_slow(self);
  ctg_held_take(self, address, CTG_SPINLOCK, CTG_LOCK_IS_OPAQUE | flags, ctg_generation(address), frame);
}

static struct ctg_held place_of(const pthread_spinlock_t *lock, const uintptr_t *frame) {
  struct ctg_held place = ctg_place((uintptr_t)lock, CTG_SPINLOCK, CTG_LOCK_IS_OPAQUE, frame);
  place.identity = ctg_generation(place.address);
  return place;
}

static bool is_past(const struct timespec *limit) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec != limit->tv_sec ? now.tv_sec > limit->tv_sec : now.tv_nsec >= limit->tv_nsec;
}

static int wait_a_while(void *lock, uint8_t flags, const struct timespec *limit) {
  (void)flags;
  do {
    for (int i = 0; i < TRIES_PER_LOOK; ++i)
      if (*(const volatile int *)lock, ctg_real.spin_trylock(lock) == 0) return 0;
  } while (!is_past(limit));
  return ETIMEDOUT;
}

static __attribute__((noinline)) int wait_for(struct ctg_thread_state *self, pthread_spinlock_t *lock,
                                              const uintptr_t *frame) {
  struct ctg_held wanted = place_of(lock, frame);
  const struct ctg_held *held = ctg_held_find(self, wanted.address);
  int result = ctg_wait(self, &wanted, held && ctg_has_still(held), wait_a_while, NULL);
  if (result == 0) take(self, lock, 0, frame);
  return result;
}

// Another thread has it, or the slow way is wanted. Called in the place of the interposed function, whose frame is this
// one.
static __attribute__((noinline)) int lock_other(pthread_spinlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (!self) return ctg_real.spin_lock(lock);
  if (ctg_real.spin_trylock(lock) != 0) return wait_for(self, lock, OWN_FRAME);
  take(self, lock, 0, OWN_FRAME);
  return 0;
}

INTERPOSED int pthread_spin_lock(pthread_spinlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (UNLIKELY(!self || ctg_slow_reasons() || ctg_real.spin_trylock(lock) != 0)) TAIL_CALL return lock_other(lock);
  take(self, lock, 0, OWN_FRAME);
  return 0;
}

INTERPOSED int pthread_spin_trylock(pthread_spinlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  int result = ctg_real.spin_trylock(lock);
  if (self && result == 0) take(self, lock, CTG_TAKEN_BY_TRY, OWN_FRAME);
  return result;
}

// Its word says only whether it is free: one that can be taken now was not held. One that cannot was taken by another
// thread, which has it no longer.
static __attribute__((noinline)) void check_owner(struct ctg_thread_state *self, pthread_spinlock_t *lock,
                                                  const uintptr_t *frame) {
  if (ctg_real.spin_trylock(lock) != 0) return ctg_given_back((uintptr_t)lock);
  struct ctg_held place = place_of(lock, frame);
  ctg_misuse(self, &place, NULL, CTG_RULE_DOUBLE_UNLOCK, "a spinlock is unlocked that no thread holds");
}

// Not the last one, or the slow way is wanted. Called in the place of the interposed function, whose frame is this one.
static __attribute__((noinline)) int unlock_other(pthread_spinlock_t *lock) {
  struct ctg_thread_state *self = ctg_thread_self ? ctg_thread_self : ctg_self();
  // What was taken in the midst of ThreadGuard's own work is given back in it too.
  if (self && !ctg_held_release(self, (uintptr_t)lock) && !ctg_busy) check_owner(self, lock, OWN_FRAME);
  return ctg_real.spin_unlock(lock);
}

INTERPOSED int pthread_spin_unlock(pthread_spinlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (UNLIKELY(!self || ctg_slow_reasons() || !ctg_held_pop(self, (uintptr_t)lock)))
    TAIL_CALL return unlock_other(lock);
  return ctg_real.spin_unlock(lock);
}

INTERPOSED int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  struct ctg_thread_state *self = ctg_self();
  if (self) {
    struct ctg_held place = ctg_place((uintptr_t)lock, CTG_SPINLOCK, 0, OWN_FRAME);
    ctg_lock_made(self, &place, CTG_USE_IS_UNKNOWN);
  }
  return ctg_real.spin_init(lock, shared);
}

INTERPOSED int pthread_spin_destroy(pthread_spinlock_t *lock) {
  struct ctg_thread_state *self = ctg_self();
  if (UNLIKELY(!self)) return ctg_real.spin_destroy(lock);
  struct ctg_held place = place_of(lock, OWN_FRAME);
  ctg_lock_destroyed(self, &place, CTG_USE_IS_UNKNOWN);
  return ctg_real.spin_destroy(lock);
}

#endif
