#pragma once
// The calling thread's stack, for rules that Swift code states.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The calling thread's stack, by its frame pointers, from the caller of the caller on. Returns how many addresses.
size_t ctg_own_stack(uintptr_t *addresses, size_t capacity);

#pragma GCC visibility pop
