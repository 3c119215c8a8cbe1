#pragma once
// ThreadGuard's own stacks. A program may take a lock on a stack with little free room: of a small thread, a coroutine
// or a signal handler.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Maps the stacks that one or two threads need at a time. Called at the start; without it the first call maps one.
void ctg_work_stacks_prepare(void);

/// Calls `function` on a stack of ThreadGuard's own, or here if this already is one. Meanwhile the thread is not
/// cancelled, and no handler of the program runs on it except for a fault: a jump out of a handler would leave behind
/// what `function` has taken. False, and no call, without memory for a stack. Not for handlers of faults.
bool ctg_on_work_stack(void (*function)(void *), void *argument);

/// Ends the process by abort(): here, or if this is such a stack, when the outermost call has come back from it. A
/// handler that leaves abort() by a jump then leaves nothing of ThreadGuard's behind.
void ctg_abort_off_work_stack(void);

/// In a child of fork: the stacks that other threads had are free.
void ctg_work_stacks_fork(void);

#pragma GCC visibility pop
