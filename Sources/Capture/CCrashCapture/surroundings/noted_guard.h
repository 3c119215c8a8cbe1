#pragma once
// The guard of allocations that is linked into the program, found from a preloaded library.

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where the program's crv_memory_guard is, by the note that its linker kept. Returns 0 if it has none. Not for
/// handlers.
uint64_t ck_noted_guard(void);

#pragma GCC visibility pop
