#pragma once
// Stacks of the calling thread, which may hold locks of the program: nothing here allocates or takes a lock of libc.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Opens libgcc's unwinder. Called once, at the start; without it stacks have one or two frames.
void ctg_stacks_prepare(void);

/// The calling thread's stack from the caller of an interposed function on.
void ctg_walk_from(const struct ctg_held *taken, struct ctg_walk *walk);

/// The stack as it was when `held` was taken, as far as the present one shows. Returns how many addresses.
size_t ctg_stack_of_taking(const struct ctg_held *held, const struct ctg_walk *walk, uintptr_t *addresses);

/// What was noted as `held` was taken, by any thread. Returns how many addresses.
size_t ctg_stack_as_noted(const struct ctg_held *held, uintptr_t addresses[CTG_NOTED_CALLERS]);

/// Keeps a stack for good, once for all that are equal. 0 when there is no room: an unknown stack.
/// Called with the engine's lock.
uint32_t ctg_stack_keep(const uintptr_t *addresses, size_t count);

/// A stack that was kept. It stays where it is.
struct ctg_stack ctg_stack_kept(uint32_t number);

/// A hash of the innermost frames of a stack that was kept: where in the code it is.
uint64_t ctg_stack_place(uint32_t number);

#pragma GCC visibility pop
