#pragma once
// The region of guarded pages, and the facts about each slot.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where the region is, for the look that every release takes: all that lies inside is the guard's.
typedef struct cmg_region {
  uintptr_t start, size;
} cmg_region;
extern cmg_region cmg_guarded;

static inline bool cmg_is_guarded(const void *address) {
  return __builtin_expect((uintptr_t)address - cmg_guarded.start < cmg_guarded.size, 0);
}

/// Sets the region and the table aside. Returns false if there is no memory for them. System calls only.
bool cmg_table_prepare(void);

/// Guards `size` bytes at a multiple of `alignment`, a power of two, for a caller that the interposed function returns
/// to. `side` chooses the end of the page. Returns NULL if no slot is free or if it is too large. The memory is zero.
/// Takes no lock, allocates nothing, keeps errno.
void *cmg_table_allocate(size_t size, size_t alignment, bool side, uintptr_t caller);

/// Gives the memory at `address`, inside the region, back. Ends the process if that is no memory in use. Takes no lock,
/// keeps errno.
void cmg_table_release(void *address, uintptr_t caller);

/// How large the memory at `address`, inside the region, is. If it is no memory in use, reads it, which ends the
/// process.
size_t cmg_table_size(const void *address);

#pragma GCC visibility pop
