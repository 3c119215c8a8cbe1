#pragma once
// Captures that another process asks for.

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

/// Whether a signal is such a request. Async-signal-safe.
bool ck_live_is_request(int signal, const siginfo_t *info);

/// Makes the capture on the thread that the signal has interrupted, which goes on behind it. Does nothing if a capture
/// is under way, if a crash is, or if the process's own user may not trace it: who asks asks again. `images` are those
/// that were known at the install. Async-signal-safe; errno stays as it was.
void ck_live_answer(const crp_images *images, const siginfo_t *info, const ucontext_t *context);

#pragma GCC visibility pop
