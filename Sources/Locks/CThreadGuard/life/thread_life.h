#pragma once
// Updates the table of threads when a thread ends or the process forks.

#pragma GCC visibility push(hidden)

/// Watches threads end and the process fork. Called once, at the start.
void ctg_thread_life_prepare(void);

#pragma GCC visibility pop
