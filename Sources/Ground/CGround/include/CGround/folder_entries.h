#pragma once
// The names in an open folder, one by one. Async-signal-safe: system calls only.

#pragma GCC visibility push(hidden)

typedef struct cgr_folder_entries {
  int folder;
  long size, at;
  _Alignas(8) char bytes[4096];
} cgr_folder_entries;

/// Begins where the descriptor `folder` stands; it stays open.
void cgr_folder_entries_begin(cgr_folder_entries *entries, int folder);
/// The next name, which stays until the next call; NULL at the end, or if the folder cannot be read.
const char *cgr_folder_entries_next(cgr_folder_entries *entries);

#pragma GCC visibility pop
