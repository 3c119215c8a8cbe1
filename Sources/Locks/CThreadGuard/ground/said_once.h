#pragma once
// The set of things that were already reported.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Whether something of this key was reported before at this level or a higher one; if not, it is now. When the
/// table is full, everything was. From any thread; takes no lock.
bool ctg_was_said(uint64_t key, unsigned level);

#pragma GCC visibility pop
