#pragma once
// Uses of locks that are right though they look wrong, of run-times that their users cannot change. Not reported, nor
// counted as suppressed.

#include <stdbool.h>

#include "images.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// Whether a violation is one of these. For one thread at a time.
bool ctg_is_known_use(const struct ctg_violation *violation, const ck_images *images);

#pragma GCC visibility pop
