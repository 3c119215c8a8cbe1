#pragma once
// Continuations of Swift tasks that the program dropped without resuming them. The Swift runtime only prints a line
// about it.

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Sets the one function that learns of each: the name of the function that made the continuation, `size` bytes without
/// a terminating zero, and where the runtime goes on that has printed it. It runs on the thread that dropped the
/// continuation, after the line was printed; libc's locks are free. NULL removes it. Safe from any thread.
void cph_observe_continuation_leaks(void (*leaked)(const char *function, size_t size, const void *caller));

/// Looks at a text that was just printed to standard error, and calls that function if the text says so. errno stays as
/// it was.
void cph_continuation_leaks_read(const char *text, size_t length, const void *caller);

#pragma GCC visibility pop
