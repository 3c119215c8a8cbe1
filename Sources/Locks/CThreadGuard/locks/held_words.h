#pragma once
// The locks that a thread holds, in words for a label.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Writes which locks the calling thread is seen to hold, outermost first: `mutex "store", a rwlock`, or `no lock`.
/// Locks without a name have no address here, so that the same finding has the same words. Empty if the thread is
/// not watched. Not for signal handlers.
void ctg_held_in_words(char *words, size_t capacity);

#pragma GCC visibility pop
