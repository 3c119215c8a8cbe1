#pragma once
// What is behind "Recursive call to lock Mutex": the Swift runtime says so of every wait for a Mutex that would never
// end.

#include "CReportTerms.h"
#include "threads/fault.h"
#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Whether the program stopped since a thread would have waited for a Mutex for ever. Async-signal-safe.
bool ck_is_mutex_trap(const cgr_text *message);

/// The cause, and the thread that holds the Mutex: 0 if its word is no longer where the runtime left it.
/// Async-signal-safe.
term_cause ck_mutex_cause(const ck_fault *fault, int *owner);

#pragma GCC visibility pop
