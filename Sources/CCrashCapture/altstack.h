#pragma once
// Alternate signal stacks, guarded, one for each thread that starts after install. Not for handlers.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Gives the calling thread an alternate stack unless it has one; with `replace_small`, also where it has one that is
/// too small for a capture. False where it has none afterwards.
bool ck_altstack_attach(bool replace_small);

/// Takes the calling thread's stack back, as the thread ends.
void ck_altstack_detach(void);

/// Another thread may have been at work during the fork. Called in the child.
void ck_altstack_after_fork(void);

#pragma GCC visibility pop
