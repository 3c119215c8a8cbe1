#pragma once
// Makes a ThreadGuard in the same process ignore the locks of a capture. In a handler it could wait for a stopped
// thread.

#pragma GCC visibility push(hidden)

/// Finds it. Called at install.
void ck_look_away_prepare(void);

/// Leaves out what the calling thread locks: 1 before, -1 afterwards. Async-signal-safe.
void ck_look_away(int change);

#pragma GCC visibility pop
