#pragma once
// The words that every part of ThreadGuard reads.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the calling thread does ThreadGuard's own work: what it locks meanwhile is not looked at. Each part counts
/// it up and down again.
extern __thread int ctg_busy __attribute__((tls_model("initial-exec")));

/// Whether locks are watched. Until then, and after the end, every interposed function passes straight through.
extern bool ctg_has_started;

#pragma GCC visibility pop
