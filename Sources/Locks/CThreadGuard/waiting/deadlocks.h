#pragma once
// Threads that wait for each other.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Checks whether `waiter` waits for itself through other threads. It keeps the circle that it found in `suspicion`,
/// which is 0 at first, and reports a circle that it finds a second time.
void ctg_deadlock_look(struct ctg_thread_state *waiter, uint64_t *suspicion);

/// The calling thread waits for a lock that it has itself. Reports it.
void ctg_deadlock_own(struct ctg_thread_state *self);

#pragma GCC visibility pop
