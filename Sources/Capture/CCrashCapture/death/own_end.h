#pragma once
// A handler of the program that ends the process by sending it a signal.

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Sends a signal that this thread has blocked to the process, as the kernel would have, and waits a moment for a
/// thread that has it open. Returns whether there is one: the process ends now, and by this thread, whose fault it is.
/// Async-signal-safe.
bool ck_own_end_is_due(int signal, const siginfo_t *info);

/// Whether a signal by which the process is to end is another thread's, which waits for this answer.
/// Async-signal-safe.
bool ck_own_end_is_answered(int signal, const siginfo_t *info);

#pragma GCC visibility pop
