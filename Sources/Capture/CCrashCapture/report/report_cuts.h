#pragma once
// The missing parts of a report, and why they are missing.

#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

/// Notes that something is missing from the report, and why. Both texts must be constants. Async-signal-safe.
void ck_report_cut(ck_report *report, const char *what, const char *reason);

#pragma GCC visibility pop
