#pragma once
// Semaphores that a thread posts, or groups that it leaves, while it holds locks. A thread that waits for the post also
// waits for these locks.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Asks for the order of what is posted before each lock that the thread holds.
void ctg_post_ask_order(struct ctg_thread_state *self, const struct ctg_held *posted);

#pragma GCC visibility pop
