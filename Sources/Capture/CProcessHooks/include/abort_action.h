#pragma once
// Lets the kernel reset SIGABRT's action if the program's filter bars rt_sigaction.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Has the kernel set SIGABRT's default action as the signal comes (SA_RESETHAND), or no longer. Called before the
/// program sets a filter that bars rt_sigaction. Returns false if the program handles or ignores the signal.
/// Async-signal-safe.
bool cph_abort_resets(bool resets);

/// Whether the kernel has set the default action as the signal came. Async-signal-safe.
bool cph_signal_is_reset(int signal);

#pragma GCC visibility pop
