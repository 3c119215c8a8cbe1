#pragma once
// Memory of this package that no stack of the program can overflow into.

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// What nothing can use beside memory of ours: a multiple of every size of pages.
#define CGR_GUARD_BYTES (64 * 1024)

/// Maps `size` bytes for reading and writing, and behind them a guard that nothing can use: the kernel may put a stack
/// right above, and a stack that overflows is to fault as it would without us. The address, or -errno.
/// Async-signal-safe.
long cgr_map_apart(size_t size);

/// Gives back what cgr_map_apart mapped. Async-signal-safe.
void cgr_unmap_apart(void *memory, size_t size);

/// Does the same behind the data of the library that this is linked into, unless something else lies there. Nothing in
/// an executable, whose heap grows there. Call it before the program maps stacks. Async-signal-safe.
void cgr_guard_library_end(void);

#pragma GCC visibility pop
