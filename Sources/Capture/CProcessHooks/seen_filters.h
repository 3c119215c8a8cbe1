#pragma once
// The filters of system calls that the program sets with libc's prctl or syscall.

#include <stdbool.h>

#include "CGround/deadly_calls.h"

#pragma GCC visibility push(hidden)

/// A filter that the program is about to set.
typedef struct cph_coming_filter {
  cgr_call_set kills;
  bool is_known;
  bool all_threads;  // it decides for every thread of the process, now and later
} cph_coming_filter;

/// Reads the filter's rules, since behind the call each question to the kernel may kill. `mode` is SECCOMP_MODE_STRICT
/// or SECCOMP_MODE_FILTER, and `flags` are seccomp(2)'s. Reads nothing before install(), or in a child of vfork, whose
/// filter is not its parent's. Async-signal-safe.
void cph_filter_comes(cph_coming_filter *filter, unsigned long mode, unsigned long flags, const void *rules);

/// The filter is set. Async-signal-safe.
void cph_filter_is_set(const cph_coming_filter *filter);

/// The program may set a filter from now on. Async-signal-safe.
void cph_note_that_calls_may_be_filtered(void);

#pragma GCC visibility pop
