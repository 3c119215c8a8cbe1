#pragma once
// How long tasks have been at the same place, by the results of earlier searches of this process.

#include <stdbool.h>
#include <stdint.h>

#include "tasks/all_tasks.h"

#pragma GCC visibility push(hidden)

/// How long before `now_ns` (CLOCK_MONOTONIC) a search first found the task with this chain, in nanoseconds, if each
/// search since then found it so; else 0, as for a task that a thread runs. Async-signal-safe.
uint64_t ck_earlier_looks_unmoved(const ck_task_record *record, uint64_t now_ns);

/// Keeps what a search found that ended at `now_ns`. If there is no memory for it, the searches before no longer count.
/// One thread at a time may call it. Async-signal-safe.
void ck_earlier_looks_keep(const ck_all_tasks *tasks, uint64_t now_ns);

#pragma GCC visibility pop
