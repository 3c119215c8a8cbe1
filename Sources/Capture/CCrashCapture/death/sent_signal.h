#pragma once
// The target of a signal: one thread, or the process.

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether a signal that came to the calling thread was sent to it alone, as far as that can be known.
/// Async-signal-safe.
bool ck_was_sent_to_thread(int signal, const siginfo_t *info);

#pragma GCC visibility pop
