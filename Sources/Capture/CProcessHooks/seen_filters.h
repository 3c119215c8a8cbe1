#pragma once
// The filters of system calls that the program sets with libc's prctl or syscall.

#include <stdbool.h>

#include "CGround/barred_calls.h"

#pragma GCC visibility push(hidden)

/// A filter that the program is about to set.
typedef struct cph_coming_filter {
  bool is_known;
  cgr_barred_calls barred;
  bool resets_abort;
} cph_coming_filter;

/// Reads the filter's rules, and makes no call any more that it bars: behind the call that sets it, each question to
/// the kernel may kill. `mode` is SECCOMP_MODE_STRICT or SECCOMP_MODE_FILTER, and `flags` are seccomp(2)'s. Does
/// nothing before install(), or in a child of vfork, whose filter is not its parent's. Async-signal-safe.
void cph_filter_comes(cph_coming_filter *filter, unsigned long mode, unsigned long flags, const void *rules);

/// The kernel has set the filter, or refused it. Async-signal-safe.
void cph_filter_came(const cph_coming_filter *filter, bool is_set);

/// The program's call of prctl, by that name or as a system call. Async-signal-safe.
int cph_prctl(int option, const unsigned long arguments[4]);

/// The program may set a filter from now on. Async-signal-safe.
void cph_note_that_calls_may_be_filtered(void);

#pragma GCC visibility pop
