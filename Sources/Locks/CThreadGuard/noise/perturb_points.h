#pragma once
// The places at which the noise of perturb.h is added.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

extern _Atomic bool ctg_perturbs;

/// Pauses, or not, whichever it is this thread's turn for. System calls only, none of which is a cancellation point;
/// errno stays. Does nothing in ThreadGuard's own work, and does not pause in a signal handler.
void ctg_perturb_here(void);

/// A boundary. One load if there is no noise.
static inline void ctg_boundary(void) {
  if (__builtin_expect(atomic_load_explicit(&ctg_perturbs, memory_order_relaxed), 0)) ctg_perturb_here();
}

/// Turns the noise on where the options ask for it. Called once, at the start, when libc's own functions are known.
void ctg_perturb_prepare(void);

/// Ends the noise for good, for another copy of this code in the same process.
void ctg_perturb_stop(void);

/// Stands the noisy functions in for libc's own in ctg_real, or takes them away again.
void ctg_perturb_locks(bool on);

/// The number of the calling thread, which has none yet. System calls only.
uint32_t ctg_thread_number(void);

#pragma GCC visibility pop
