#pragma once
// The one question about an FDE that libunwind does not answer: is this the outermost frame of its thread?

#include <stdbool.h>
#include <stdint.h>

#include "images.h"

#pragma GCC visibility push(hidden)

/// True where the unwind information of the function at `pc` declares the return address undefined, which is how
/// _start and clone mark the end of a stack (DWARF 5, 6.4.4). Async-signal-safe.
bool ck_fde_ends_stack(const ck_image *image, uint64_t pc);

#pragma GCC visibility pop
