#pragma once
// Notes for the report of a death, made before its signal came. They apply only to this signal, because the program may
// leave its handler by a jump and later die in another way.

#include "threads/fault.h"

#pragma GCC visibility push(hidden)

/// Takes what was left for a signal that the calling thread has got. Async-signal-safe.
void ck_last_signs_take(ck_last_signs *signs, int signal);

#pragma GCC visibility pop
