#pragma once
// Environment variables. Not for handlers.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// An environment variable, or NULL in a privileged process or where it is empty.
const char *cgr_environment(const char *name);

/// Reads a yes or a no, spelled in one of the ways that SWIFT_BACKTRACE knows. False, and `truth` stays as it is, for
/// any other word.
bool cgr_read_truth(const char *word, bool *truth);

#pragma GCC visibility pop
