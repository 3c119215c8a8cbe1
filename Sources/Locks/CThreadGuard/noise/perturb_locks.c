// Functions with noise around libc's own. They replace these in ctg_real only while noise is on.

#include "ground/libc_functions.h"
#include "ground/slow_path.h"
#include "noise/perturb_points.h"
#include "threads/thread_state.h"

static struct ctg_real plain;

// One boundary for each lock, however long and in how many pieces it is waited for.
static void before(void) {
  const struct ctg_thread_state *self = ctg_thread_self;
  if (self && atomic_load_explicit(&self->waits, memory_order_relaxed) & 1) return;
  ctg_boundary();
}

#define BEFORE(name, parameters, arguments) \
  static int noisy_##name parameters {      \
    before();                               \
    return plain.name arguments;            \
  }

#define AFTER(name, parameters, arguments) \
  static int noisy_##name parameters {     \
    int result = plain.name arguments;     \
    ctg_boundary();                        \
    return result;                         \
  }
#define TAKES BEFORE
#define GIVES AFTER
#include "interposed_by_threadguard.def"

#define STAND_IN(name, parameters, arguments) \
  __atomic_store_n(&ctg_real.name, on ? noisy_##name : plain.name, __ATOMIC_RELEASE);

void ctg_perturb_locks(bool on) {
  if (on && !plain.mutex_lock) plain = ctg_real;
#define TAKES STAND_IN
#define GIVES STAND_IN
#include "interposed_by_threadguard.def"
  if (on)
    ctg_slow_path_want(CTG_SLOW_PERTURBS);
  else
    ctg_slow_path_leave(CTG_SLOW_PERTURBS);
}
