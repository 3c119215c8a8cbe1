#pragma once
// A violation as a report. System calls only.

#include <stdint.h>

#include "CReportParts/images.h"
#include "CReportParts/json.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// Writes the whole report into `json`, which has been started. `thread` is the one that broke the rule.
void ctg_report_json(crp_json *json, const struct ctg_violation *violation, const struct ctg_thread *thread,
                     const crp_images *images, uint64_t realtime_ns);

/// The stack at which a violation happened: the first labelled one, else that of the last edge.
const struct ctg_stack *ctg_violation_stack(const struct ctg_violation *violation);

#pragma GCC visibility pop
