#pragma once
// The start of lock checking.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

extern bool ctg_has_started;

/// Starts watching, once; before it every interposed function passes straight through. Called by a constructor.
void ctg_locks_start(void);

/// Stops watching, for good: of two ThreadGuards in a process one steps aside.
void ctg_locks_stop(void);

#pragma GCC visibility pop
