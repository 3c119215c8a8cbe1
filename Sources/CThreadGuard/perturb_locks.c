// Noise around libc's own functions, which stand in for them in ctg_real: where there is no noise, nothing does.

#include "perturb_points.h"
#include "real.h"
#include "slow_path.h"
#include "thread_state.h"

static struct ctg_real plain;

// One boundary for each lock, however long and in how many pieces it is waited for.
static void before(void) {
  const struct ctg_thread_state *self = ctg_thread_self;
  if (self && atomic_load_explicit(&self->waits, memory_order_relaxed) & 1) return;
  ctg_boundary();
}

typedef const struct timespec *time_limit;
typedef pthread_mutex_t *mutex;
typedef pthread_rwlock_t *rwlock;
typedef pthread_spinlock_t *spin;
typedef pthread_cond_t *condition;

// name, parameters, arguments
#define TAKING(X)                                                                    \
  X(mutex_lock, (mutex a), (a))                                                      \
  X(mutex_trylock, (mutex a), (a))                                                   \
  X(mutex_timedlock, (mutex a, time_limit b), (a, b))                                \
  X(mutex_clocklock, (mutex a, clockid_t b, time_limit c), (a, b, c))                \
  X(rwlock_rdlock, (rwlock a), (a))                                                  \
  X(rwlock_tryrdlock, (rwlock a), (a))                                               \
  X(rwlock_wrlock, (rwlock a), (a))                                                  \
  X(rwlock_trywrlock, (rwlock a), (a))                                               \
  X(rwlock_timedrdlock, (rwlock a, time_limit b), (a, b))                            \
  X(rwlock_timedwrlock, (rwlock a, time_limit b), (a, b))                            \
  X(rwlock_clockrdlock, (rwlock a, clockid_t b, time_limit c), (a, b, c))            \
  X(rwlock_clockwrlock, (rwlock a, clockid_t b, time_limit c), (a, b, c))            \
  X(spin_lock, (spin a), (a))                                                        \
  X(spin_trylock, (spin a), (a))                                                     \
  X(cond_wait, (condition a, mutex b), (a, b))                                       \
  X(cond_timedwait, (condition a, mutex b, time_limit c), (a, b, c))                 \
  X(cond_clockwait, (condition a, mutex b, clockid_t c, time_limit d), (a, b, c, d))

#define GIVING(X)                     \
  X(mutex_unlock, (mutex a), (a))     \
  X(rwlock_unlock, (rwlock a), (a))   \
  X(spin_unlock, (spin a), (a))

#define BEFORE(name, parameters, arguments) \
  static int noisy_##name parameters {      \
    before();                               \
    return plain.name arguments;            \
  }
TAKING(BEFORE)

#define AFTER(name, parameters, arguments) \
  static int noisy_##name parameters {     \
    int result = plain.name arguments;     \
    ctg_boundary();                        \
    return result;                         \
  }
GIVING(AFTER)

#define STAND_IN(name, parameters, arguments) \
  __atomic_store_n(&ctg_real.name, on ? noisy_##name : plain.name, __ATOMIC_RELEASE);

void ctg_perturb_locks(bool on) {
  if (on && !plain.mutex_lock) plain = ctg_real;
  TAKING(STAND_IN)
  GIVING(STAND_IN)
  if (on) ctg_slow_path_want(CTG_SLOW_PERTURBS);
  else ctg_slow_path_leave(CTG_SLOW_PERTURBS);
}
