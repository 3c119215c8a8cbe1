#pragma once
// The summary of what was checked, so that a reader can distinguish a run without mistakes from a run in which
// ThreadGuard saw no locks.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Remembers which file standard error is.
void ctg_lock_summary_prepare(void);

/// Writes a line on standard error, unless that is another file by now: how many locks and waits for queues were seen,
/// how many orders between them, and plainly when there were none. `is_run` says that `crashsym run` is the parent.
void ctg_lock_summary_say(bool is_run);

#pragma GCC visibility pop
