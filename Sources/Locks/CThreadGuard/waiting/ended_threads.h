#pragma once
// Threads that ended while they held locks, which no thread will release. ThreadGuard reports such a thread if another
// thread waits for its locks, if the thread is joined, or if the process still runs a second later. If the whole
// process ends, it does no harm.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// The calling thread ends. Whether it leaves locks behind; then its state is to be kept.
bool ctg_ending_leaves_locks(struct ctg_thread_state *self);

/// Looks at all of them from the watching thread, once in a quarter of a second. Whether there is any left to look at.
bool ctg_endings_look(void);

/// The thread of this handle was joined.
void ctg_ending_joined(uintptr_t handle);

/// Whether `waiter` waits for a lock of a thread that has ended. Reports it.
bool ctg_ending_tell_waiter(struct ctg_thread_state *waiter);

#pragma GCC visibility pop
