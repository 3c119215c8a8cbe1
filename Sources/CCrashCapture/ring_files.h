#pragma once
// Ring files that processes left behind: those that were killed, or lost power. Not for handlers.

#pragma GCC visibility push(hidden)

/// How many are kept for a look at what happened.
#define CK_RING_FILES_KEPT 32

/// Removes the oldest ring files of ended processes beyond CK_RING_FILES_KEPT.
void ck_ring_files_prune(int directory);

#pragma GCC visibility pop
