#pragma once
// The functions on the stacks of a violation. For one thread at a time.

#include <stdbool.h>

#include "findings/symbols.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

#define CTG_FRAMES_MAX 1024

/// Each address once, sorted, those of calls turned to the call itself; more are left out.
struct ctg_frames {
  size_t count;
  bool is_named;
  ctg_symbol symbols[CTG_FRAMES_MAX];
};

void ctg_frames_gather(struct ctg_frames *frames, const struct ctg_violation *violation);

/// Finds the functions' names, unless they have been found already.
void ctg_frames_name(struct ctg_frames *frames, const crp_images *images);

#pragma GCC visibility pop
