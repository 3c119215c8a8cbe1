#pragma once
// What a process notes about its surroundings when its region gets a file, for the next launch to compare.
#include "region_view.h"

#pragma GCC visibility push(hidden)

/// Fills in everything but what happens later: a hang, a crash, an exit. Async-signal-safe: a forked child does so at
/// its first breadcrumb.
void ck_evidence_fill(ck_evidence *evidence);

#pragma GCC visibility pop
