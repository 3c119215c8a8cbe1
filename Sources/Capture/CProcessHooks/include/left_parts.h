#pragma once
// The parts of a thread's signal stacks whose handlers were left, and may go on later: a coroutine yields in a handler
// and is resumed. All that they need then is kept there as long as can be.

#include <stdint.h>

#include "signal_stacks.h"

#pragma GCC visibility push(hidden)

/// All 0 at first.
typedef struct cph_left_parts {
  unsigned count;
  uint8_t parts[CPH_SIGNAL_STACK_PARTS];  // the oldest first
  uint32_t lows[CPH_SIGNAL_STACK_PARTS];  // the ends of the handlers' own stacks, in short
} cph_left_parts;

/// A handler was left that has its frames on the part, and on the stack that ends at `low`. Async-signal-safe.
void cph_left_parts_keep(cph_left_parts *left, int part, uintptr_t low);

/// The part, or the stack, is used anew: -1 and 0 for none. Async-signal-safe.
void cph_left_parts_drop(cph_left_parts *left, int part, uintptr_t low);

/// Returns a part that is not in the set `used`, -1 if all are. One that is kept comes last, the oldest before others.
/// Async-signal-safe.
int cph_left_parts_choose(const cph_left_parts *left, uint32_t used);

#pragma GCC visibility pop
