// The missing parts of a report.

#include "report/report_cuts.h"

void ck_report_cut(ck_report *report, const char *what, const char *reason) {
  size_t count = report->cut_count;
  bool is_known = count > 0 && report->cuts[count - 1].what == what && report->cuts[count - 1].reason == reason;
  if (is_known || count == CK_CUTS_MAX) return;
  report->cuts[report->cut_count].what = what;
  report->cuts[report->cut_count++].reason = reason;
}
