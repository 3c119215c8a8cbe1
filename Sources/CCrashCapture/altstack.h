#pragma once
// Alternate signal stacks, guarded, one for each thread that CrashKit knows of.

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// What a thread's alternate stack has room for, besides the context that the kernel puts there (AT_MINSIGSTKSZ):
/// our handler until it changes to the capture's own stack. HandlerTests measures 192 bytes for a crash, and 3,145 for
/// one in which a handler of the program's raises the signal again, the second context included.
#define CK_HANDLER_STACK_BYTES (4 * 1024)
/// And a handler of the program's, which without ours might run on the thread's own stack. Pages that are never used
/// cost address space only.
#define CK_PROGRAM_HANDLER_STACK_BYTES (128 * 1024)

/// Gives the calling thread an alternate stack unless it has one; with `replace_small`, also where it has one that is
/// too small for our handler. False where it has none afterwards. Async-signal-safe.
bool ck_altstack_attach(bool replace_small);

/// The program's call of sigaltstack on the calling thread, which sees no stack of ours; where it takes its own away,
/// ours comes back. Returns 0 or an errno; `old` is always given. Async-signal-safe.
int ck_altstack_set_by_program(const stack_t *wanted, stack_t *old);

/// Takes the calling thread's stack back, as the thread ends. Not for handlers.
void ck_altstack_detach(void);

/// Another thread may have been at work during the fork. Called in the child.
void ck_altstack_after_fork(void);

#pragma GCC visibility pop
