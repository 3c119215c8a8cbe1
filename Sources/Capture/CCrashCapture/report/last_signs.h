#pragma once
// What was left for the report of a death before its signal came. It counts for this signal alone: the program may
// leave its handler by a jump, and die of something else later.

#include "threads/fault.h"

#pragma GCC visibility push(hidden)

/// Takes what was left for a signal that the calling thread has got. Async-signal-safe.
void ck_last_signs_take(ck_last_signs *signs, int signal);

#pragma GCC visibility pop
