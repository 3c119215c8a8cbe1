#pragma once
// Ring files of processes that were killed or lost power. Not for handlers.

#pragma GCC visibility push(hidden)

/// How many are kept if no launch makes reports of them.
#define CK_RING_FILES_KEPT 32

/// Removes the oldest ring files of ended processes beyond CK_RING_FILES_KEPT, and one that this process left itself
/// when it was another program (execve). Call it once this process has its own.
void ck_ring_files_prune(int directory);

#pragma GCC visibility pop
