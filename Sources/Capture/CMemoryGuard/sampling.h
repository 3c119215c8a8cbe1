#pragma once
// Which allocations are guarded: 1 in so many, chosen at random.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// How many more allocations of this thread are left to libc.
extern _Thread_local int32_t cmg_left __attribute__((tls_model("initial-exec")));

/// Whether this allocation may be a guarded one: cmg_sample says so.
static inline bool cmg_is_due(void) { return __builtin_expect(cmg_left-- <= 0, 0); }

/// Chooses the thread's next guarded allocation, and guards this one if that is its turn. Returns NULL if libc is to
/// allocate. Decides at the program's first allocations whether any are guarded. Takes no lock, keeps errno.
void *cmg_sample(size_t size, size_t alignment, uintptr_t caller);

#pragma GCC visibility pop
