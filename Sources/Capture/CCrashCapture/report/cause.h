#pragma once
// Why the process died: a code, and a sentence.

#include "CReportTerms.h"
#include "threads/fault.h"
#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Writes the cause's sentence and returns its code. If only the signal is known, `text` stays empty and the cause is
/// unknown. `message` is what the program said as it stopped, or empty. Async-signal-safe: reads /proc/self/maps.
term_cause ck_cause_write(const ck_fault *fault, const cgr_text *message, cgr_text *text);

#pragma GCC visibility pop
