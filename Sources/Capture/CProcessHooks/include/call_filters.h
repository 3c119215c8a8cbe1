#pragma once
// Filters that a program sets for its own system calls.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the program may have set such a filter (seccomp) since it started. The filter may kill the program for calls
/// that CrashKit adds, and to ask the kernel is such a call. So CrashKit watches prctl, which a program without
/// privileges calls before any filter. The answer never returns to false, and a fork inherits it. Async-signal-safe.
bool cph_calls_may_be_filtered(void);

#pragma GCC visibility pop
