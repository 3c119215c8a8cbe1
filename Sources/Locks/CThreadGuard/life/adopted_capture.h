#pragma once
// Uses the crash capture of another library in the same process. One of both libraries is preloaded.

#include "CReportParts/crash_capture.h"

#pragma GCC visibility push(hidden)

/// Uses it for reports, breadcrumbs and sections from now on, or no longer with NULL. Safe from any thread.
void ctg_capture_adopt(const crp_crash_capture *capture);

/// Asks the preload library of the crash capture for it, if there is one. Ordinary libc.
void ctg_capture_find_preloaded(void);

#pragma GCC visibility pop
