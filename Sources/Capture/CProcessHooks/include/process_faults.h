#pragma once
// Signals that the processor raises because another part requested them. They are not faults.

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Sets the one function that is asked first, on the thread and in the handler of an owned signal: true ends the
/// matter. It must be async-signal-safe. Safe from any thread.
void cph_filter_faults(bool (*filter)(int signal, siginfo_t *info, void *context));

/// What it says; false if there is none. Async-signal-safe.
bool cph_fault_is_filtered(int signal, siginfo_t *info, void *context);

#pragma GCC visibility pop
