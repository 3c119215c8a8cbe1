#pragma once
// The last lines and the exit status at the end of the process.

#include "ground/own_lock.h"
#include "kinds.h"

#pragma GCC visibility push(hidden)

/// What has become of violations in this process.
struct ctg_counts {
  _Atomic unsigned long kinds[CTG_KIND_COUNT];  // distinct ones
  _Atomic unsigned long repeats, suppressed, beyond_limit;
};
extern struct ctg_counts ctg_counts;

/// Prints the summary, and changes the status if an option says so, when the process ends by exit. A thread that makes
/// a report holds `reporting`; the end waits for it. Called once.
void ctg_end_prepare(struct ctg_own_lock *reporting);

/// Leaves the summary and the exit status to another copy of this code in the same process.
void ctg_violations_stop(void);

#pragma GCC visibility pop
