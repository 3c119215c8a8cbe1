#pragma once
// Functions that the crash capture, if it is installed, offers to other writers of reports.

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Of the structure, which goes from one library of a process to another that was built at another time.
#define CRP_CRASH_CAPTURE_VERSION 1

struct crv_section_provider;

typedef struct crp_crash_capture {
  unsigned version;
  /// Where its reports go; NULL if nothing can be written.
  const char *directory;
  const char *application_name, *application_version, *application_build;  // empty if the program gave none
  /// Records a breadcrumb of what was found wrong. Async-signal-safe.
  void (*record)(const char *message, size_t message_length, const char *category, bool is_error);
  /// cph_add_section_provider.
  int (*add_section_provider)(const struct crv_section_provider *provider);
} crp_crash_capture;

/// Lends it, or takes it back with NULL. Safe from any thread.
void crp_crash_capture_lend(const crp_crash_capture *capture);

/// What is lent, or NULL. Safe from any thread.
const crp_crash_capture *crp_crash_capture_lent(void);

#pragma GCC visibility pop
