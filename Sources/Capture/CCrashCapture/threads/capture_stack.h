#pragma once
// The stack on which a report is made. A program's own alternate stacks may be as small as the kernel allows.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Sets the stack aside, between two guards. Called once, at install. False if there is no memory.
bool ck_capture_stack_prepare(void);

/// Where the stack begins: its highest address. Async-signal-safe.
void *ck_capture_stack_top(void);

/// On the stack: makes it the thread's alternate one, so that a signal which comes meanwhile goes on below. Leaving,
/// off the stack, puts the thread's own back. Async-signal-safe.
void ck_capture_stack_enter(void);
void ck_capture_stack_leave(void);

#pragma GCC visibility pop
