#pragma once
// Calling a function on another stack.

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// What a function may use below its stack pointer, and a signal therefore leaves alone.
#if defined(__x86_64__)
#define CGR_RED_ZONE_BYTES 128
#else
#define CGR_RED_ZONE_BYTES 0
#endif

/// Calls `function` on another stack, whose highest address is `top` (a multiple of 16). Async-signal-safe.
void cgr_call_on_stack(void (*function)(void *), void *argument, void *top);

/// Whether such a call returns to `address`, in this image or in another one that has the same code. It is the one
/// place in a stack from which the caller's frame may lie further inwards. Reads memory by calls that cannot fault.
/// Async-signal-safe.
bool cgr_is_return_to_other_stack(uintptr_t address);

/// The stack pointer where the signal came. Async-signal-safe.
uintptr_t cgr_context_stack_pointer(const ucontext_t *context);

#pragma GCC visibility pop
