#pragma once
// Makes a system call again that a signal of CrashKit interrupted, as the kernel itself does for most calls.

#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef enum ck_broken_call {
  CK_CALL_NONE,     // the signal broke off no call, or the kernel restarts it
  CK_CALL_GOES_ON,  // the thread makes the call again
  CK_CALL_ENDS,     // the call answers EINTR
} ck_broken_call;

/// If the handler that was given `context` broke off a system call which now answers EINTR, makes the thread issue
/// that call again when the handler returns. Only calls that have done nothing by then, and only if the call's number
/// can be read, and if no other signal is about to break it off. The thread waits for its whole time limit again.
/// Async-signal-safe.
ck_broken_call ck_restart_interrupted_call(ucontext_t *context);

/// The number of the system call that the signal has interrupted, if its arguments are still in the registers; -1 if
/// it came to no call, or if that is not known. Async-signal-safe.
long ck_interrupted_call_number(const ucontext_t *context);

#pragma GCC visibility pop
