#pragma once
// libdispatch's groups in the order of locks, where THREADGUARD_OPTIONS says groups=yes: a group's work has it while it
// runs, as a reader would, and a thread that waits for the group wants it for itself. One that is left while a lock is
// held comes before that lock, since who waits for the group waits for the lock.

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
