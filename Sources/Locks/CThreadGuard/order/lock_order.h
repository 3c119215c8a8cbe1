#pragma once
// The order of locks.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// The thread took a lock, or is about to wait for it, in a company that it was not seen with before: adds what this
/// says of the order, and reports the cycles that it closes.
void ctg_order_check(struct ctg_thread_state *self, struct ctg_held *taken);

#pragma GCC visibility pop
