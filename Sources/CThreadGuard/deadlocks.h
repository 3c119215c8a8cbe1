#pragma once
// Threads that wait for each other.

#include "thread_state.h"

#pragma GCC visibility push(hidden)

/// What a thread found when it looked whether its wait can end; twice the same is a deadlock.
struct ctg_suspicion {
  uint64_t key;  // of the threads and their waits; 0 for none
};

/// Keeps the stacks of the calling thread's wait and of all that it holds, for whoever tells of it.
void ctg_wait_note_stacks(struct ctg_thread_state *self);

/// Looks whether `waiter` waits, by way of others, for itself. Tells it the second time that it finds the same.
void ctg_deadlock_look(struct ctg_thread_state *waiter, struct ctg_suspicion *suspicion);

/// The calling thread waits for a lock that it has itself.
void ctg_deadlock_own(struct ctg_thread_state *self);

#pragma GCC visibility pop
