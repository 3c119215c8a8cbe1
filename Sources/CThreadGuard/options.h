#pragma once
// THREADGUARD_OPTIONS: key=value pairs with commas between, spelled as in SWIFT_BACKTRACE.

#include <stdatomic.h>
#include <stdbool.h>

#include "violation_options.h"

#pragma GCC visibility push(hidden)

/// What the variable and the program have set. Read from any thread.
struct ctg_options {
  _Atomic int modes[CTG_KIND_COUNT];
  _Atomic unsigned limit;
  _Atomic int exit_status;
  _Atomic bool summary;
};
extern struct ctg_options ctg_options;

/// Reads the variable, once, before anything else of this file is asked for. In a privileged process it is not read.
/// Takes no lock that is interposed and allocates nothing.
void ctg_options_prepare(void);

/// The suppression file that the variable names, or NULL.
const char *ctg_options_suppressions(void);

#pragma GCC visibility pop
