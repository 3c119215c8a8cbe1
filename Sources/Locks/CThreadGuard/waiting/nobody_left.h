#pragma once
// Semaphores and groups have no owner to follow, because any thread may post. Only if every thread of the process
// waits, it is certain that none will post.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Whether what is waited for is given by whichever thread posts it.
static inline bool ctg_is_posted(const struct ctg_held *wanted) {
  return wanted->type == CTG_SEMAPHORE || wanted->type == CTG_GROUP;
}

/// Looks whether a thread waits for a semaphore or a group with a lock held that another thread waits for, and none is
/// left that could go on. Keeps what it found in `suspicion`, 0 at first: the second time that it finds the same it
/// reports it. For the watching thread, which is not counted.
void ctg_nobody_left_look(uint64_t *suspicion);

#pragma GCC visibility pop
