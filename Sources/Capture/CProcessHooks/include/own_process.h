#pragma once
// The process to which the tables of this target belong.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Takes the calling process for it: at install, and in a child of fork. Async-signal-safe.
void cph_own_process_note(void);

/// False in a child that shares this memory (vfork, clone with CLONE_VM): what it changes is its own, and the
/// tables are its parent's. Async-signal-safe.
bool cph_is_own_process(void);

#pragma GCC visibility pop
