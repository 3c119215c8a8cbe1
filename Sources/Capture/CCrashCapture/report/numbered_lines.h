#pragma once
// A report as numbered lines on standard error, which a reader finds in any log. Async-signal-safe.

#include "report/output_state.h"

#pragma GCC visibility push(hidden)

/// Writes a part of the report. If the pipe is full, `numbered` is false afterwards. Async-signal-safe.
void ck_numbered_write(ck_output *output, const char *bytes, size_t size);

/// Writes what is left, and the line at the end. Async-signal-safe.
void ck_numbered_end(ck_output *output);

#pragma GCC visibility pop
