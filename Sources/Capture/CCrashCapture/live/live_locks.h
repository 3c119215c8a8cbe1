#pragma once
// The locks for reports of a living process, and how a fork handles them.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Keeps forks from leaving a lock held in the child. At install: a fork that has begun knows nothing of what the first
/// report would ask for beside it.
void ck_live_watch_forks(void);

/// Between these a thread of ours is at work in Swift: see ck_swift_work_begins. Not for handlers.
void ck_live_work_begins(void);
void ck_live_work_ends(void);

/// Only one thread at a time takes stacks and writes. Not for handlers.
void ck_live_lock(void);
/// Whether the thread that a signal interrupted is in a fork, or is making a report: no wait would see the end of it.
/// Async-signal-safe.
bool ck_live_is_at_work_here(void);
/// Takes the lock if it is free. Async-signal-safe.
bool ck_live_try_lock(void);
/// Async-signal-safe.
void ck_live_unlock(void);

/// Images are found and stacks taken between these: no fork begins. The program's signals are blocked, for a handler of
/// its own might fork on this very thread. Those that libc keeps for itself stay open, so that a crash can stop it.
void ck_live_begin_stacks(uint64_t *held);
void ck_live_end_stacks(const uint64_t *held);
/// The same in a handler. Returns false if another thread takes stacks, or the process is about to fork.
/// Async-signal-safe.
bool ck_live_try_stacks(void);
void ck_live_leave_stacks(void);

#pragma GCC visibility pop
