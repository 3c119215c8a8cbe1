#pragma once
// libc's own functions behind the interposed ones. Usable from the first call on: before the start they are libc's own
// by their second names, then whatever comes next after us.

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#pragma GCC visibility push(hidden)

struct ctg_real {
  typeof(pthread_mutex_init) *mutex_init;
  typeof(pthread_mutex_destroy) *mutex_destroy;
  typeof(pthread_mutex_lock) *mutex_lock, *mutex_trylock, *mutex_unlock;
  typeof(pthread_mutex_timedlock) *mutex_timedlock;
  typeof(pthread_mutex_clocklock) *mutex_clocklock;
  typeof(pthread_rwlock_init) *rwlock_init;
  typeof(pthread_rwlock_destroy) *rwlock_destroy;
  typeof(pthread_rwlock_rdlock) *rwlock_rdlock, *rwlock_tryrdlock, *rwlock_wrlock, *rwlock_trywrlock, *rwlock_unlock;
  typeof(pthread_rwlock_timedrdlock) *rwlock_timedrdlock, *rwlock_timedwrlock;
  typeof(pthread_rwlock_clockrdlock) *rwlock_clockrdlock, *rwlock_clockwrlock;
  typeof(pthread_spin_init) *spin_init;
  typeof(pthread_spin_destroy) *spin_destroy;
  typeof(pthread_spin_lock) *spin_lock, *spin_trylock, *spin_unlock;
  typeof(pthread_join) *join;
  typeof(pthread_cond_wait) *cond_wait;
  typeof(pthread_cond_timedwait) *cond_timedwait;
  typeof(pthread_cond_clockwait) *cond_clockwait;
};
extern struct ctg_real ctg_real;

/// Looks all of them up, once, at the start.
void ctg_real_prepare(void);

/// libdispatch's own function, or NULL where there is no libdispatch. `kept` keeps it.
void *ctg_real_dispatch(void *_Atomic *kept, const char *name);

/// The next definition of a function after ours, looked up now.
void *ctg_real_next(const char *name);

#pragma GCC visibility pop
