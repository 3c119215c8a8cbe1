#pragma once
// Signals from pthread_sigqueue. They have the same code as signals from sigqueue, which sends to the whole process.

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether a signal was sent to one thread, the calling one, by the program's own pthread_sigqueue. Async-signal-safe.
bool cph_signal_was_queued_to_thread(const siginfo_t *info);

#pragma GCC visibility pop
