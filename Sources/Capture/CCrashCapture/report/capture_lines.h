#pragma once
// All threads and Swift tasks of a process that continues, as lines on standard error. Async-signal-safe.

#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

/// The lines being printed, with room for one line of any length behind what a pipe takes at once.
typedef struct ck_capture_lines {
  char bytes[12288];
  cgr_text text;
  uint64_t wait_left_ns;
  bool is_given_up;  // standard error takes no more
  bool seen[CRP_IMAGES_MAX];
} ck_capture_lines;

/// Prints threads, tasks and images of a report whose stacks were taken and whose tasks were searched, and where the
/// report is if it was written. `lines` is memory for that. If nobody reads, gives up after 0.5 s, and after 1.5 s in
/// all. Async-signal-safe.
void ck_print_capture(ck_report *report, ck_capture_lines *lines, int signal, bool was_written);

#pragma GCC visibility pop
