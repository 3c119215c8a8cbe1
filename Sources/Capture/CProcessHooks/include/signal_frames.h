#pragma once
// The kernel's data for a handler: siginfo and context with the extended state, in one piece of memory.

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// The extended state must lie at a multiple of this.
#define CPH_SIGNAL_FRAME_ALIGNMENT 64

/// Copies a frame that holds `context` from one address to another, `from` and `to` differing by a multiple of the
/// alignment. Pointers into the frame point into the copy. Async-signal-safe.
void cph_signal_frame_copy(uintptr_t to, uintptr_t from, size_t size, const ucontext_t *context);

/// Returns from a handler as the kernel's own code would, to `context`; the frame is `info` and `context` as the kernel
/// laid them out. Async-signal-safe.
void cph_signal_frame_return(const siginfo_t *info, const ucontext_t *context) __attribute__((noreturn));

#pragma GCC visibility pop
