#pragma once
// Why the process died, in words.

#include "threads/fault.h"
#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Writes the cause; leaves `text` empty where nothing more than the signal's name can be said. `message` is what the
/// program said as it stopped, or empty. Async-signal-safe: reads /proc/self/maps.
void ck_cause_write(const ck_fault *fault, const ck_text *message, ck_text *text);

#pragma GCC visibility pop
