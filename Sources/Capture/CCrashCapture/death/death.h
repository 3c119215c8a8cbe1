#pragma once
// How the process dies after a report: in the same way as without CrashKit. Async-signal-safe.

#include <signal.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Makes sure that the process dies of `signal` as soon as the handler that was given `context` returns, with the code
/// and sender of `info`. As PID 1, which no default action kills, does not return where a return would not be death.
void ck_die_on_return(int signal, const siginfo_t *info, ucontext_t *context);

/// Dies of `signal` at once, on the calling thread.
void ck_die_now(int signal, const siginfo_t *info) __attribute__((noreturn));

#pragma GCC visibility pop
