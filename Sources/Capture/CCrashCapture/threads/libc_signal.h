#pragma once
// A signal that libc reserves for itself, borrowed to interrupt threads.

#include "CGround/kernel_action.h"

#pragma GCC visibility push(hidden)

/// The one of the two real-time signals that glibc keeps for itself which may be lent: its functions neither block it
/// nor wait for it, and no program has a handler for it.
#define CK_LIBC_SIGNAL 33

/// Puts `handler` in place of libc's own, which goes to `before` first. The handler runs on the alternate stack.
/// Async-signal-safe.
bool ck_libc_signal_lend(void (*handler)(int, siginfo_t *, void *), uint64_t mask, cgr_kernel_action *before);

#pragma GCC visibility pop
