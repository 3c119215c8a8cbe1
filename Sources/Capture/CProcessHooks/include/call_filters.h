#pragma once
// Filters that a program sets for its own system calls.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the program may have set such a filter (seccomp) since it started, one that kills for calls that are not its
/// own. To ask the kernel would be such a call, so each prctl is seen that begins one: a program without privileges
/// has to call it, whatever sets the filter behind it. It lasts, and a fork inherits it. Async-signal-safe.
bool cph_calls_may_be_filtered(void);

#pragma GCC visibility pop
