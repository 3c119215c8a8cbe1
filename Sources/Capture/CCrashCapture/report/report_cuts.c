// What is missing from a report.

#include "report/report_cuts.h"

void ck_report_cut(ck_report *report, const char *what, const char *reason) {
  if (report->cut_count == CK_CUTS_MAX) return;
  report->cuts[report->cut_count].what = what;
  report->cuts[report->cut_count++].reason = reason;
}
