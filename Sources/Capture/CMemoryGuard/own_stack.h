#pragma once
// Keeps the calling thread's stack, which is unwound if the program dies, because optimised C has no frame pointers.

#include <stdint.h>

#include "CRendezvous/memory_guard.h"

#pragma GCC visibility push(hidden)

/// Copies the innermost part of the calling thread's stack and the registers with which it can be unwound. Reads by
/// calls that cannot fault. Allocates nothing, keeps errno.
void cmg_own_stack_copy(crv_guarded_stack *stack, uintptr_t caller);

#pragma GCC visibility pop
