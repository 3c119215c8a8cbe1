#pragma once
// The ways in which a program ends itself without a signal.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Sets the one function that runs before exit, _exit, _Exit and quick_exit take effect, on the calling thread, which
/// may be inside a signal handler. `runs_more`: functions of the program or of a sanitizer run before the process is
/// gone. NULL removes it. Safe from any thread.
void cph_observe_exits(void (*about_to_exit)(bool runs_more));

/// Sets the one function called last, after the one above: whether the process ends `at_once`, or by exit, which
/// runs functions of the program first. It must be async-signal-safe. NULL removes it. Safe from any thread.
void cph_observe_ends(void (*ends)(int status, bool at_once));

/// libc's _exit, past our own. Async-signal-safe.
void cph_real_exit_now(int status) __attribute__((noreturn));

#pragma GCC visibility pop
