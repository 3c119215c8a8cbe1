#pragma once
// Swift's async functions on a stack, and the callers that wait for them. Async-signal-safe, under a guard.

#include <stdbool.h>
#include <stdint.h>

#include "images.h"

#pragma GCC visibility push(hidden)

/// Where the function that holds `pc` starts, if it is a Swift async function: its frame then keeps its async context
/// in the word below the saved frame pointer. 0 for any other.
uint64_t ck_swift_async_function_start(const ck_images *images, uint64_t pc);

/// A chain longer than this is given up on.
#define CK_CONTINUATIONS_MAX 30000

/// A walk over the async contexts of a task, from an async function's own one outwards.
typedef struct ck_continuations {
  uint64_t context;  // where it starts; then the next one, 0 behind the last
  uint64_t mark;     // one seen before: meeting it again means a loop
  uint32_t seen;
} ck_continuations;

/// Where the next waiting caller goes on; false at the end of the chain, where it is damaged, and where it is too long.
bool ck_next_continuation(const ck_images *images, ck_continuations *at, uint64_t *resume_address);

#pragma GCC visibility pop
