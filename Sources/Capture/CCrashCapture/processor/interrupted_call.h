#pragma once
// Making a system call again that a signal of ours broke off, as the kernel does for most calls by itself.

#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Where the handler that was given `context` broke off a system call which now answers EINTR, makes the thread issue
/// that call again when the handler returns. Only calls that have done nothing by then, and only where the call's
/// number can be told. False where there is nothing to do or it cannot be done. Async-signal-safe.
bool ck_restart_interrupted_call(ucontext_t *context);

#pragma GCC visibility pop
