#pragma once
// The word that makes every lock and unlock take the slow path.

#include <stdatomic.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Bits of ctg_slow_path: who wants the slow way.
enum ctg_slow_reason {
  /// glibc's locks are not known, or not yet: each is taken by glibc's own functions.
  CTG_SLOW_LOCKS_ARE_UNKNOWN = 2,
  /// Where the Swift runtime keeps its current task differs from time to time on one thread.
  CTG_SLOW_TASKS_MOVE = 4,
  /// Noise is made around glibc's own functions (perturb_points.h).
  CTG_SLOW_PERTURBS = 8,
  /// The watching thread sleeps: the next lock that is taken wakes it.
  CTG_SLOW_WATCHER_SLEEPS = 1,
};

/// While any bit is set, each lock and unlock of a mutex, read-write lock or spinlock goes by way of its `…_other`
/// function, where whatever is more than the order of locks has its place. Threads see a change soon, not at once.
extern _Atomic uint32_t ctg_slow_path;

static inline uint32_t ctg_slow_reasons(void) { return atomic_load_explicit(&ctg_slow_path, memory_order_relaxed); }

static inline void ctg_slow_path_want(enum ctg_slow_reason reason) { atomic_fetch_or(&ctg_slow_path, reason); }
static inline void ctg_slow_path_leave(enum ctg_slow_reason reason) {
  atomic_fetch_and(&ctg_slow_path, ~(uint32_t)reason);
}

#pragma GCC visibility pop
