// libc's own functions, found by dlsym. On its way it allocates nothing, and takes no lock that is interposed.

#include "real.h"

#include <dlfcn.h>

void *ctg_real_next(const char *name) { return dlsym(RTLD_NEXT, name); }

void *ctg_real_dispatch(void *_Atomic *kept, const char *name) {
  void *found = *kept;
  if (found) return found;
  found = ctg_real_next(name);
  if (!found) {
    // One that was opened by dlopen for its caller alone comes after nobody.
    void *library = dlopen("libdispatch.so", RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = dlsym(library, name);
  }
  *kept = found;
  return found;
}

typedef const struct timespec *time_limit;
typedef pthread_mutex_t *mutex;
typedef pthread_rwlock_t *rwlock;
typedef pthread_spinlock_t *spin;
typedef pthread_cond_t *condition;

// name, parameters, arguments
#define ALL(X)                                                                                      \
  X(mutex_init, (mutex a, const pthread_mutexattr_t *b), (a, b))                                    \
  X(mutex_destroy, (mutex a), (a))                                                                  \
  X(mutex_lock, (mutex a), (a))                                                                     \
  X(mutex_trylock, (mutex a), (a))                                                                  \
  X(mutex_unlock, (mutex a), (a))                                                                   \
  X(mutex_timedlock, (mutex a, time_limit b), (a, b))                                               \
  X(mutex_clocklock, (mutex a, clockid_t b, time_limit c), (a, b, c))                               \
  X(rwlock_init, (rwlock a, const pthread_rwlockattr_t *b), (a, b))                                 \
  X(rwlock_destroy, (rwlock a), (a))                                                                \
  X(rwlock_rdlock, (rwlock a), (a))                                                                 \
  X(rwlock_tryrdlock, (rwlock a), (a))                                                              \
  X(rwlock_wrlock, (rwlock a), (a))                                                                 \
  X(rwlock_trywrlock, (rwlock a), (a))                                                              \
  X(rwlock_unlock, (rwlock a), (a))                                                                 \
  X(rwlock_timedrdlock, (rwlock a, time_limit b), (a, b))                                           \
  X(rwlock_timedwrlock, (rwlock a, time_limit b), (a, b))                                           \
  X(rwlock_clockrdlock, (rwlock a, clockid_t b, time_limit c), (a, b, c))                           \
  X(rwlock_clockwrlock, (rwlock a, clockid_t b, time_limit c), (a, b, c))                           \
  X(spin_init, (spin a, int b), (a, b))                                                             \
  X(spin_destroy, (spin a), (a))                                                                    \
  X(spin_lock, (spin a), (a))                                                                       \
  X(spin_trylock, (spin a), (a))                                                                    \
  X(spin_unlock, (spin a), (a))                                                                     \
  X(join, (pthread_t a, void **b), (a, b))                                                          \
  X(cond_wait, (condition a, mutex b), (a, b))                                                      \
  X(cond_timedwait, (condition a, mutex b, time_limit c), (a, b, c))                                \
  X(cond_clockwait, (condition a, mutex b, clockid_t c, time_limit d), (a, b, c, d))

#define FIND(name, parameters, arguments) \
  ctg_real.name = (typeof(ctg_real.name))ctg_real_next("pthread_" #name);

// Stand in until the start: a program's, or its allocator's, first call may come before.
#define STAND_IN(name, parameters, arguments) \
  static int early_##name parameters {        \
    FIND(name, , )                            \
    return ctg_real.name arguments;           \
  }
ALL(STAND_IN)

#define MEMBER(name, parameters, arguments) .name = early_##name,
struct ctg_real ctg_real = {ALL(MEMBER)};

void ctg_real_prepare(void) { ALL(FIND) }
