#pragma once
// A ThreadGuard in the same process, which is to leave out what the capture locks: in a handler it could wait for a
// thread that is stopped.

#pragma GCC visibility push(hidden)

/// Finds it. Called at install.
void ck_look_away_prepare(void);

/// Leaves out what the calling thread locks: 1 before, -1 afterwards. Async-signal-safe.
void ck_look_away(int change);

#pragma GCC visibility pop
