#pragma once
// Findings in another thread's stack of locks while that thread runs: how they are verified and reported.

#include "rules.h"
#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Whether the lock's own memory says that the thread has it: a mutex that another thread has unlocked, or that was
/// freed, still stands on the stack of the one that took it. True of what does not say.
bool ctg_held_is_owned(const struct ctg_thread_state *state, const struct ctg_held *held);

/// Whether this entry was looked at before and not made anew since. Taking a lock overwrites the mark that this leaves.
bool ctg_held_was_sampled(struct ctg_held *held);

/// Reports misuse of a lock that is held, with where it was taken. `message` may be NULL, for the rule's sentence.
void ctg_held_tell(const struct ctg_thread_state *state, const struct ctg_held *held, enum ctg_rule rule,
                   const char *label, const char *message);

#pragma GCC visibility pop
