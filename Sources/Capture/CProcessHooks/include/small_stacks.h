#pragma once
// Alternate stacks that a program sets by the system call itself, and that have too little room for CrashKit's handler.

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Whether a signal came to such a stack, by the context that the kernel put there. Async-signal-safe.
bool cph_stack_is_small(const ucontext_t *context);

typedef void cph_signal_function(int signal, siginfo_t *info, ucontext_t *context);

/// For use at the start of a handler, with what the kernel gave it. If the signal came to such a stack, the rest of the
/// handler, `function`, runs on the thread's own signal stacks, as it does for a stack that was set by libc's function:
/// this does not return. Otherwise it returns at once. Async-signal-safe.
void cph_leave_small_stack(int signal, siginfo_t *info, ucontext_t *context, cph_signal_function *function);

#pragma GCC visibility pop
