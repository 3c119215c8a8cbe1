#pragma once
// How the life of a thread, or of the process, changes what is known of threads.

#pragma GCC visibility push(hidden)

/// Watches threads end and the process fork. Called once, at the start.
void ctg_thread_life_prepare(void);

#pragma GCC visibility pop
