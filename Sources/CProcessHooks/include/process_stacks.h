#pragma once
// Alternate signal stacks that the program sets up itself.

#include <signal.h>

#pragma GCC visibility push(hidden)

/// Answers the program's calls of sigaltstack from then on: 0, or an errno. `wanted` and `old` may be NULL; both are
/// memory that can be read and written.
void cph_observe_stacks(int (*sets)(const stack_t *wanted, stack_t *old));

#pragma GCC visibility pop
