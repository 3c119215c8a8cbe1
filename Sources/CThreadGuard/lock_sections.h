#pragma once
// What a crash report says of each thread's locks, where CrashKit watches the process too.

#pragma GCC visibility push(hidden)

/// Adds `heldLocks` and `waitingFor` to the threads of reports. Called once, at the start; does nothing without CrashKit.
void ctg_lock_sections_prepare(void);

#pragma GCC visibility pop
