#pragma once
// The signals that may come while a report is made.

#include <ucontext.h>

#include "CGround/write_signals.h"

#pragma GCC visibility push(hidden)

/// Holds back what a write of ours may send, and all else that can mean no fault and no end of the time. `context` is
/// the crash's. cgr_write_signals_release then leaves open what the crash found open. Async-signal-safe.
void ck_capture_mask_set(cgr_write_signals *held, const ucontext_t *context);

#pragma GCC visibility pop
