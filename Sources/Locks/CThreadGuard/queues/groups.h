#pragma once
// libdispatch's groups in the order of locks, with THREADGUARD_OPTIONS=groups=yes. A group's work holds the group while
// it runs, like a reader. A thread that waits for the group takes it like a writer. If a thread leaves a group while it
// holds a lock, the group comes before that lock, because a thread that waits for the group also waits for the lock.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// The calling thread, where groups are looked at; or NULL.
struct ctg_thread_state *ctg_groups_self(void);

/// Says what the thread waits for, after asking what its order is; until ctg_wait_ends.
void ctg_group_wait_begins(struct ctg_thread_state *self, uintptr_t group, const uintptr_t *frame);

/// The thread is about to leave it.
void ctg_group_left(struct ctg_thread_state *self, uintptr_t group, const uintptr_t *frame);

/// The calling thread runs work of a group, or of none, that was handed over at `frames`. Returns what
/// ctg_group_work_ends needs.
void *ctg_group_work_begins(void *group, const uintptr_t frames[2]);
void ctg_group_work_ends(void *group);

#pragma GCC visibility pop
