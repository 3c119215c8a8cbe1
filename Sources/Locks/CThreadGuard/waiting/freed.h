#pragma once
// Locks whose memory was freed or overwritten while they were held, with THREADGUARD_OPTIONS=freed=yes. Their own words
// then name no owner, or one that does not exist. ThreadGuard checks at intervals, not at every free.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Has the locks of the thread that ends the process looked at. Called once, at the start, after what tells the number
/// of violations at the end.
void ctg_freed_prepare(void);

/// Looks at what a thread holds, from the watching thread; after what else that looks at, since it leaves marks.
void ctg_freed_look(struct ctg_thread_state *state);

/// Looks at what the calling thread holds.
void ctg_freed_look_own(struct ctg_thread_state *self);

#pragma GCC visibility pop
