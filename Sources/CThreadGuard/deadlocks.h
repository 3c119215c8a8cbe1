#pragma once
// Threads that wait for each other.

#include "thread_state.h"

#pragma GCC visibility push(hidden)

/// Keeps the stacks of the calling thread's wait and of all that it holds, for whoever tells of it.
void ctg_wait_note_stacks(struct ctg_thread_state *self);

/// Keeps the stacks of what the calling thread holds as it ends.
void ctg_wait_note_held(struct ctg_thread_state *self);

/// Looks whether `waiter` waits, by way of others, for itself, and keeps what it found in `suspicion`, 0 at first: the
/// second time that it finds the same it tells it.
void ctg_deadlock_look(struct ctg_thread_state *waiter, uint64_t *suspicion);

/// The calling thread waits for a lock that it has itself. Tells it.
void ctg_deadlock_own(struct ctg_thread_state *self);

/// Where a lock was taken, by any thread: the stack where the thread has kept it, or else the frames that it noted as it
/// came in, which are put into `frames`. Called with the engine's lock.
struct ctg_stack ctg_stack_noted(const struct ctg_held *held, uintptr_t frames[CTG_NOTED_CALLERS]);

/// A lock as a violation names it. Called with the engine's lock.
struct ctg_lock ctg_lock_described(const struct ctg_held *held);

#pragma GCC visibility pop
