#pragma once
// The Swift runtime's own backtracer, which installs its handlers before CrashKit's.

#include <signal.h>
#include <stdbool.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

/// Finds its handler among the actions of now. Not for handlers: called at install, before ours are in place.
void ck_runtime_backtracer_prepare(const crp_images *images);

/// Whether `action` is that handler. Async-signal-safe.
bool ck_is_runtime_backtracer(const struct sigaction *action);

/// Whether it should run after CrashKit, which has or has not written a whole report. Async-signal-safe.
bool ck_runtime_backtracer_wanted(const struct sigaction *action, bool report_is_whole);

#pragma GCC visibility pop
