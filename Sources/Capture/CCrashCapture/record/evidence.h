#pragma once
// The facts about its environment that a process notes when its region gets a file. The next launch compares them.
#include "region_view.h"

#pragma GCC visibility push(hidden)

/// Fills in everything but what happens later: a hang, a crash, an exit. Async-signal-safe: a forked child does so at
/// its first breadcrumb.
void ck_evidence_fill(ck_evidence *evidence);

#pragma GCC visibility pop
