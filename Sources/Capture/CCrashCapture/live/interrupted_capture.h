#pragma once
// A capture in a signal handler, in memory that exists only during the capture.

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "CReportParts/images.h"
#include "live_result.h"
#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

/// What is done with the report behind its writing. Async-signal-safe.
typedef void ck_interrupted_end(ck_report *report, const ck_live_result *result, void *argument);

typedef struct ck_interrupted_capture {
  const crp_images *images;  // those that were known at the install
  const ucontext_t *context;
  const cgr_text *description;
  ck_interrupted_end *end;  // NULL for none
  void *argument;           // its last one
} ck_interrupted_capture;

/// Captures all threads from the handler of a signal, writes the report and calls `end`. Under the lock of
/// ck_live_try_lock. Returns false if there is no memory, or a crash or a fork is under way. Async-signal-safe; errno
/// stays as it was.
bool ck_live_capture_interrupted(const ck_interrupted_capture *wanted);

#pragma GCC visibility pop
