#pragma once
// Uses of locks that look wrong but are right, in runtimes that users cannot change. ThreadGuard neither reports them
// nor counts them as suppressed.

#include <stdbool.h>

#include "CReportParts/images.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// Whether a violation is one of these. For one thread at a time.
bool ctg_is_tolerated_use(const struct ctg_violation *violation, const crp_images *images);

#pragma GCC visibility pop
