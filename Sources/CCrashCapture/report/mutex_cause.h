#pragma once
// What is behind "Recursive call to lock Mutex": the Swift runtime says so of every wait for a Mutex that would never end.

#include "threads/fault.h"
#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Whether the program stopped since a thread would have waited for a Mutex for ever. Async-signal-safe.
bool ck_is_mutex_trap(const ck_text *message);

/// Writes who holds that Mutex, if its word is still where the runtime left it. Async-signal-safe.
void ck_mutex_cause_write(const ck_fault *fault, ck_text *text);

#pragma GCC visibility pop
