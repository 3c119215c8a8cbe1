#pragma once
// What the crash capture, where it is installed, lends to whoever else writes reports.

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

typedef struct ck_crash_capture {
  /// Where its reports go; NULL where nothing can be written.
  const char *directory;
  const char *application_name, *application_version, *application_build;  // empty where the program gave none
  /// Records a breadcrumb of what was found wrong. Async-signal-safe.
  void (*record)(const char *message, size_t message_length, const char *category, bool is_error);
} ck_crash_capture;

/// Lends it, or takes it back with NULL. Safe from any thread.
void ck_crash_capture_lend(const ck_crash_capture *capture);

/// What is lent, or NULL. Safe from any thread.
const ck_crash_capture *ck_crash_capture_lent(void);

#pragma GCC visibility pop
