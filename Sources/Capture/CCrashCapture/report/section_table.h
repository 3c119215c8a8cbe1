#pragma once
// The sections of a report: one row each in CReportParts/section_table.def.

#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

typedef struct ck_section {
  const char *name;  // what the report calls it if it is cut short
  void (*write)(ck_report *);
  bool in_crash, in_live;
  bool always;
} ck_section;

/// All sections, in the order in which they are written. Async-signal-safe: a table.
extern const ck_section ck_sections[];
extern const size_t ck_section_count;

#pragma GCC visibility pop
