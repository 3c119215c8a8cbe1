#pragma once
// Calling a function on another stack.

#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// What a function may use below its stack pointer, and a signal therefore leaves alone.
#if defined(__x86_64__)
#define CPH_RED_ZONE_BYTES 128
#else
#define CPH_RED_ZONE_BYTES 0
#endif

/// Calls `function` on another stack, whose highest address is `top` (a multiple of 16). Async-signal-safe.
void cph_call_on_stack(void (*function)(void *), void *argument, void *top);

/// Where such a call returns to: the one place in a stack from which the caller's frame may lie further inwards.
extern const char cph_call_on_stack_returns[];

/// The stack pointer where the signal came. Async-signal-safe.
uintptr_t cph_context_stack_pointer(const ucontext_t *context);

#pragma GCC visibility pop
