#pragma once
// Swift's async functions on a stack. Async-signal-safe, under a guard.

#include <stdbool.h>
#include <stdint.h>

#include "images.h"

#pragma GCC visibility push(hidden)

/// Whether the function that holds `pc` is a Swift async function: its frame then keeps its async context in the word
/// below the saved frame pointer.
bool ck_is_swift_async_function(const ck_images *images, uint64_t pc);

#pragma GCC visibility pop
