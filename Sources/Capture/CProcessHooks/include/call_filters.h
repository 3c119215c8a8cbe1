#pragma once
// Filters that a program sets for its own system calls.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the program may have set such a filter (seccomp) since it started. The filter may kill the program for calls
/// that CrashKit adds, and to ask the kernel is such a call. So CrashKit watches prctl and syscall. A program without
/// privileges calls prctl before any filter. The answer never returns to false, and a fork inherits it.
/// Async-signal-safe.
bool cph_calls_may_be_filtered(void);

/// Called at install, on the thread that installs: it is known to have set no filter, if none was seen before.
void cph_filters_begin(void);

/// Whether a filter answers our calls of sigaltstack with an error or SIGSYS. To be asked before another stack is used:
/// there a signal would begin over the frames that called. Async-signal-safe.
bool cph_stacks_are_refused(void);

/// Whether the program may have set such a filter, and it answers so those that read the signal's action or, if `sets`,
/// those that set it. Nothing is set. Async-signal-safe.
bool cph_action_is_refused(int signal, bool sets);

#pragma GCC visibility pop
