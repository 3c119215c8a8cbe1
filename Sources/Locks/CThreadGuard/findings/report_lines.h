#pragma once
// A violation in a few lines on standard error. System calls only. For one thread at a time.

#include "CReportParts/images.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// `path` is that of the report, or NULL if there is none.
void ctg_report_lines(const struct ctg_violation *violation, const struct ctg_thread *thread, const crp_images *images,
                      const char *path);

#pragma GCC visibility pop
