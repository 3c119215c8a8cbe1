#pragma once
// Go's runtime in the program, of which the handlers that it sets give word: linked, in an archive, or in a library
// that is opened at any time.

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the program holds a runtime that asks the kernel for its alternate stack, past libc, and takes ours for its
/// own, as Go's does. A thread that runs Go's code has an alternate stack, and handlers that ask for one run there. Set
/// for good before the first handler of Go's is.
extern volatile bool cph_asks_kernel_for_stack;

/// To be called with what the program sets, or has set, for a signal, before that is used. Async-signal-safe.
void cph_note_go_handler(const struct sigaction *action);

#pragma GCC visibility pop
