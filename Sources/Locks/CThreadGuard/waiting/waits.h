#pragma once
// Threads that wait for a lock of another thread, and locks that are made and destroyed.

#include <time.h>

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Waits for a lock that is taken: asks first what its order is, then waits piece by piece with `wait_a_while`, which
/// gives up at a time of the monotonic clock with ETIMEDOUT, and looks each time whether the wait can end at all.
/// `is_own` says that the thread itself has it. A thread that holds nothing is part of no circle, and waits at once by
/// `wait_for_ever` if that is given.
int ctg_wait(struct ctg_thread_state *self, struct ctg_held *wanted, bool is_own,
             int (*wait_a_while)(void *lock, uint8_t flags, const struct timespec *limit),
             int (*wait_for_ever)(void *lock, uint8_t flags));

/// Asks what the order of a lock is that the thread is going to wait for.
void ctg_wait_ask_order(struct ctg_thread_state *self, struct ctg_held *wanted);

/// The same for a wait that is one call and can be told nothing in between: says what the thread waits for until
/// ctg_wait_ends. Whether the wait can end is then looked at by a thread of ThreadGuard's own.
void ctg_wait_begins(struct ctg_thread_state *self, const struct ctg_held *wanted);
void ctg_wait_ends(struct ctg_thread_state *self);

#pragma GCC visibility pop
