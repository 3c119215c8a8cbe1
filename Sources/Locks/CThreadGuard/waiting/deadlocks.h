#pragma once
// Threads that wait for each other.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Looks whether `waiter` waits, by way of others, for itself, and keeps what it found in `suspicion`, 0 at first: the
/// second time that it finds the same, it reports it.
void ctg_deadlock_look(struct ctg_thread_state *waiter, uint64_t *suspicion);

/// The calling thread waits for a lock that it has itself. Reports it.
void ctg_deadlock_own(struct ctg_thread_state *self);

#pragma GCC visibility pop
