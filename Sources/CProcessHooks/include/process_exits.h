#pragma once
// The ways in which a program ends itself without a signal.

#pragma GCC visibility push(hidden)

/// Sets the one function that runs before exit, _exit, _Exit and quick_exit take effect, on the calling thread, which
/// may be inside a signal handler. NULL removes it. Safe from any thread.
void cph_observe_exits(void (*about_to_exit)(int status));

/// libc's _exit, past our own. Async-signal-safe.
void cph_real_exit_now(int status) __attribute__((noreturn));

#pragma GCC visibility pop
