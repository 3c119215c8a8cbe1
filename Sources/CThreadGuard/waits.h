#pragma once
// Threads that wait for a lock which another one has, and the locks that come and go.

#include <time.h>

#include "thread_state.h"

#pragma GCC visibility push(hidden)

/// Waits for a lock that is taken: asks first what its order is, then waits piece by piece with `wait_a_while`, which
/// gives up at a time of the monotonic clock with ETIMEDOUT, and looks each time whether the wait can end at all.
int ctg_wait(struct ctg_thread_state *self, struct ctg_held *wanted,
             int (*wait_a_while)(void *lock, uint8_t flags, const struct timespec *limit));

#pragma GCC visibility pop
