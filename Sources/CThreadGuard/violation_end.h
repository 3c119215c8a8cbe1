#pragma once
// What is said, and the status that is given, at the end of the process.

#include "violations.h"

#pragma GCC visibility push(hidden)

/// What has become of violations in this process.
struct ctg_counts {
  _Atomic unsigned long kinds[CTG_KIND_COUNT];  // distinct ones
  _Atomic unsigned long repeats, suppressed, beyond_limit;
};
extern struct ctg_counts ctg_counts;

/// Waits, for a second at most, until no other thread is in the middle of a report.
void ctg_violations_settle(void);

/// Has the summary said, and the status changed if that is asked for, when the process ends by exit. Called once.
void ctg_end_prepare(void);

#pragma GCC visibility pop
