#pragma once
// The start of lock checking.

#pragma GCC visibility push(hidden)

/// Starts watching, once; before it every interposed function passes straight through. Called by a constructor.
void ctg_locks_start(void);

/// Stops watching, for good: of two ThreadGuards in a process one steps aside.
void ctg_locks_stop(void);

#pragma GCC visibility pop
