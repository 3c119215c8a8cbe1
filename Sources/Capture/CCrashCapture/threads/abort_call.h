#pragma once
// Whether a thread is in abort(), or has sent itself SIGABRT in another way.

#include <signal.h>

#include "CReportParts/images.h"
#include "processor/registers.h"

#pragma GCC visibility push(hidden)

/// Finds abort() in memory. Called once, at install.
void ck_abort_prepare(const crp_images *images);
/// Whether abort() could be found. Async-signal-safe.
bool ck_abort_is_known(void);
/// Whether abort() has made the call that a thread with these registers is in: its frame lies a few words up the stack,
/// under those of raise(). Async-signal-safe.
bool ck_abort_is_calling(const ck_registers *registers);
/// Whether a signal is the SIGABRT that abort() sends before it ends the process, whatever becomes of that signal.
/// Async-signal-safe.
bool ck_abort_has_raised(int signal, const siginfo_t *info, const ck_registers *registers);

#pragma GCC visibility pop
