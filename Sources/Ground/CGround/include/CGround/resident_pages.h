#pragma once
// Which pages of this process are in memory.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// From here on cgr_memory_read reads only pages that are in memory, or others too. Async-signal-safe.
void cgr_read_only_resident(bool only);
bool cgr_reads_only_resident(void);

/// How many bytes from `address` on are in memory, up to `size`. All of them if the kernel does not answer.
/// Async-signal-safe.
size_t cgr_resident_size(uint64_t address, size_t size);

/// Finds out how large a page is. Called once, at install.
void cgr_resident_prepare(void);

#pragma GCC visibility pop
