#pragma once

/// Starts `count` threads; each calls itself until `depth` frames of this library stand on its stack and then waits
/// for ever in a system call. Returns once every thread waits there. 0, or an errno value.
int waiting_threads_start(unsigned count, unsigned depth);

/// The kernel's ids of the threads started so far, in the order of their start; `*count` says how many.
const int *waiting_threads_ids(unsigned *count);

/// Recurses to the same depth as the threads do and writes to address zero there. `mark` is called just before.
_Noreturn void waiting_threads_crash(unsigned depth, void (*mark)(void));

/// Starts `count` threads that recurse to that depth, wait for each other there and write to address zero all at once.
/// `mark` is called by one of them, just before. Returns only where no thread could be started.
void waiting_threads_crash_together(unsigned count, unsigned depth, void (*mark)(void));
