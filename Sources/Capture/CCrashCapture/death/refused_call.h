#pragma once
// SIGSYS for a system call that a filter refuses, by seccomp(2) or by system call user dispatch (prctl(2)). Sandboxes
// and emulators answer it in their own handlers.

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Calls the program's handler where the signal came, if user dispatch sent it: even the return from a handler is
/// refused until that one has switched the dispatch off. Returns false if it is another signal, or there is no handler.
/// Async-signal-safe as far as the handler is: no system call.
bool ck_dispatched_call_is_handed_over(siginfo_t *info, ucontext_t *context);

/// Lets a refused call of ours end with ENOSYS, if the thread expects refusals. Returns false if it does not.
/// Async-signal-safe: no system call.
bool ck_refused_call_is_ours(const siginfo_t *info, ucontext_t *context);

/// Calls the program's handler where the signal came, if the filter refuses calls that we make around handlers. Those
/// would be refused over and over again. Returns false if there is no such handler, or no such filter: then the signal
/// is one as any other. Async-signal-safe as far as the handler is.
bool ck_refused_call_is_handed_over(siginfo_t *info, ucontext_t *context);

#pragma GCC visibility pop
