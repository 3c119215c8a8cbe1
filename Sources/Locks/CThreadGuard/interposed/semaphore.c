// Interposed functions of semaphores, libc's and libdispatch's. They do nothing more unless semaphores=yes is set.

#ifdef THREADGUARD

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "ground/state.h"
#include "interposed/hooks.h"
#include "noise/perturb_points.h"
#include "queues/semaphores.h"

static void on_cancel(void *self) { ctg_wait_ends(self); }

INTERPOSED int sem_wait(sem_t *semaphore) {
  ctg_boundary();
  struct ctg_thread_state *self = ctg_semaphores_self();
  if (!self) return ctg_real.sem_wait(semaphore);
  int result;
  ctg_semaphore_wait_begins(self, (uintptr_t)semaphore, OWN_FRAME);
  pthread_cleanup_push(on_cancel, self);
  result = ctg_real.sem_wait(semaphore);
  pthread_cleanup_pop(1);
  if (result == 0) ctg_semaphore_taken(self, (uintptr_t)semaphore, false, OWN_FRAME);
  return result;
}

#define TRIES(name, parameters, arguments)                                                     \
  INTERPOSED int name parameters {                                                             \
    ctg_boundary();                                                                            \
    struct ctg_thread_state *self = ctg_semaphores_self();                                     \
    int result = ctg_real.name arguments;                                                      \
    if (self && result == 0) ctg_semaphore_taken(self, (uintptr_t)semaphore, true, OWN_FRAME); \
    return result;                                                                             \
  }

TRIES(sem_trywait, (sem_t * semaphore), (semaphore))
TRIES(sem_timedwait, (sem_t *restrict semaphore, const struct timespec *restrict limit), (semaphore, limit))
TRIES(sem_clockwait, (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict limit),
      (semaphore, clock, limit))

INTERPOSED int sem_post(sem_t *semaphore) {
  struct ctg_thread_state *self = ctg_semaphores_self();
  if (self) ctg_semaphore_posted(self, (uintptr_t)semaphore, OWN_FRAME);
  int result = ctg_real.sem_post(semaphore);
  ctg_boundary();
  return result;
}

INTERPOSED int sem_init(sem_t *semaphore, int shared, unsigned value) {
  if (ctg_semaphores_self()) ctg_lock_renewed((uintptr_t)semaphore);
  return ctg_real.sem_init(semaphore, shared, value);
}

// --- libdispatch, whose semaphores are made of libc's ------------------------------------------------------------

#define FOR_EVER UINT64_MAX

INTERPOSED long dispatch_semaphore_wait(void *semaphore, uint64_t limit) {
  ctg_boundary();
  struct ctg_thread_state *self = ctg_semaphores_self();
  long (*wait)(void *, uint64_t) = DISPATCH_REAL(dispatch_semaphore_wait);
  // libdispatch's own use of libc's semaphores is no boundary besides.
  if (!self && !ctg_perturbs) return wait(semaphore, limit);
  bool by_try = limit != FOR_EVER;
  if (self && !by_try) ctg_semaphore_wait_begins(self, (uintptr_t)semaphore, OWN_FRAME);
  ctg_busy++;
  long result = wait(semaphore, limit);
  ctg_busy--;
  if (self && !by_try) ctg_wait_ends(self);
  if (self && result == 0) ctg_semaphore_taken(self, (uintptr_t)semaphore, by_try, OWN_FRAME);
  return result;
}

INTERPOSED long dispatch_semaphore_signal(void *semaphore) {
  struct ctg_thread_state *self = ctg_semaphores_self();
  long (*signal)(void *) = DISPATCH_REAL(dispatch_semaphore_signal);
  if (self) ctg_semaphore_posted(self, (uintptr_t)semaphore, OWN_FRAME);
  ctg_busy++;
  long result = signal(semaphore);
  ctg_busy--;
  ctg_boundary();
  return result;
}

INTERPOSED void *dispatch_semaphore_create(long value) {
  void *semaphore = DISPATCH_REAL(dispatch_semaphore_create)(value);
  if (semaphore && ctg_semaphores_self()) ctg_lock_renewed((uintptr_t)semaphore);
  return semaphore;
}

#endif
