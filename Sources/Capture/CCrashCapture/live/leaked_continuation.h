#pragma once
// A continuation that the program dropped without resuming it: the task that waits for it never continues.

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Makes a report of the kind `leakedContinuation`, once for each function that makes continuations. The first stack is
/// the calling thread's, from where it returns to `caller` on. Not for handlers. Safe from any thread.
void ck_leaked_continuation(const char *function, size_t size, const void *caller);

#pragma GCC visibility pop
