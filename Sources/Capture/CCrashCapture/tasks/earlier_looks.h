#pragma once
// Since when tasks stand where they stand, by what earlier searches of this process found.

#include <stdbool.h>
#include <stdint.h>

#include "tasks/all_tasks.h"

#pragma GCC visibility push(hidden)

/// Since when (CLOCK_MONOTONIC, in nanoseconds) each search has found the task with this chain; 0 if the last one did
/// not. Async-signal-safe.
uint64_t ck_earlier_looks_since(uint64_t id, uint64_t chain);

/// Keeps what a search found that ended at `now_ns`; without memory for it, the searches before count as none. By one
/// thread at a time. Not for handlers.
void ck_earlier_looks_keep(const ck_all_tasks *tasks, uint64_t now_ns);

#pragma GCC visibility pop
