#pragma once
// The functions of libc whose calls are seen: X(name without pthread_, parameters, arguments) for each. Names only.

#include <pthread.h>
#include <time.h>

typedef const struct timespec *time_limit;
typedef pthread_mutex_t *mutex;
typedef pthread_rwlock_t *rwlock;
typedef pthread_spinlock_t *spin;
typedef pthread_cond_t *condition;

// What takes a lock, or takes it again.
#define CTG_TAKING(X)                                                     \
  X(mutex_lock, (mutex a), (a))                                           \
  X(mutex_trylock, (mutex a), (a))                                        \
  X(mutex_timedlock, (mutex a, time_limit b), (a, b))                     \
  X(mutex_clocklock, (mutex a, clockid_t b, time_limit c), (a, b, c))     \
  X(rwlock_rdlock, (rwlock a), (a))                                       \
  X(rwlock_tryrdlock, (rwlock a), (a))                                    \
  X(rwlock_wrlock, (rwlock a), (a))                                       \
  X(rwlock_trywrlock, (rwlock a), (a))                                    \
  X(rwlock_timedrdlock, (rwlock a, time_limit b), (a, b))                 \
  X(rwlock_timedwrlock, (rwlock a, time_limit b), (a, b))                 \
  X(rwlock_clockrdlock, (rwlock a, clockid_t b, time_limit c), (a, b, c)) \
  X(rwlock_clockwrlock, (rwlock a, clockid_t b, time_limit c), (a, b, c)) \
  X(spin_lock, (spin a), (a))                                             \
  X(spin_trylock, (spin a), (a))                                          \
  X(cond_wait, (condition a, mutex b), (a, b))                            \
  X(cond_timedwait, (condition a, mutex b, time_limit c), (a, b, c))      \
  X(cond_clockwait, (condition a, mutex b, clockid_t c, time_limit d), (a, b, c, d))

// What gives it back.
#define CTG_GIVING(X)               \
  X(mutex_unlock, (mutex a), (a))   \
  X(rwlock_unlock, (rwlock a), (a)) \
  X(spin_unlock, (spin a), (a))

#define CTG_OTHERS(X)                                               \
  X(mutex_init, (mutex a, const pthread_mutexattr_t *b), (a, b))    \
  X(mutex_destroy, (mutex a), (a))                                  \
  X(rwlock_init, (rwlock a, const pthread_rwlockattr_t *b), (a, b)) \
  X(rwlock_destroy, (rwlock a), (a))                                \
  X(spin_init, (spin a, int b), (a, b))                             \
  X(spin_destroy, (spin a), (a))                                    \
  X(join, (pthread_t a, void **b), (a, b))

#define CTG_ALL(X) CTG_OTHERS(X) CTG_TAKING(X) CTG_GIVING(X)
