#pragma once
// The names of a report's file: one for the complete report, and one until it is complete. ReportName.swift reads them.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct crp_report_name {
  char whole[96];     // "….json", in the folder
  char partial[104];  // "….json.partial"
} crp_report_name;

/// `<UTC, ms>-<pid>-<kind>.json`, so that names sort by time. A long kind is cut. Async-signal-safe.
void crp_report_name_make(crp_report_name *name, uint64_t realtime_ns, int pid, const char *kind);

/// Gives the file of the partial name in `folder` the whole one. Returns 0 or an errno: EEXIST if there is a file of
/// that name and `replaces` is false. File systems that cannot refuse to replace do replace. Async-signal-safe.
int crp_report_name_complete(const crp_report_name *name, int folder, bool replaces);

#pragma GCC visibility pop
