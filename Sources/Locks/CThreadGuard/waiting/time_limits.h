#pragma once
// The watching thread's checks of other threads while they run. It reports a finding only if two checks see it, with
// proof that nothing happened in between.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Reports which locks the thread holds for longer than THREADGUARD_OPTIONS' hold-limit, and whether it waits for
/// longer than wait-limit; once for each place in the code. `index` is the thread's in the table of threads.
void ctg_limits_look(struct ctg_thread_state *state, uint32_t index);

/// Reports which locks of a Swift task the thread still holds although it runs another task or none.
void ctg_await_look(struct ctg_thread_state *state, uint32_t index);

#pragma GCC visibility pop
