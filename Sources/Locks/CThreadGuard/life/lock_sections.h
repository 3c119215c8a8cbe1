#pragma once
// The sections of a crash report about each thread's locks, if CrashKit is in the process too.

#include "CRendezvous/section_provider.h"

#pragma GCC visibility push(hidden)

/// Adds `heldLocks` and `waitingFor` to the threads of reports. Called once, at the start; does nothing unless CrashKit
/// is linked beside.
void ctg_lock_sections_prepare(void);

/// Adds them to the reports of another library, by its cph_add_section_provider. Safe from any thread.
void ctg_lock_sections_add(int (*add)(const crv_section_provider *provider));

#pragma GCC visibility pop
