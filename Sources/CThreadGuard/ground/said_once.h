#pragma once
// What was told already.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Whether something of this key was told before at this level or a higher one; if not, it is from now on. When the
/// table is full, everything was. From any thread; takes no lock.
bool ctg_was_told(uint64_t key, unsigned level);

#pragma GCC visibility pop
