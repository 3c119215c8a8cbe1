#pragma once
// Opening files, in a process that may have no descriptor left. Async-signal-safe except cgr_open_prepare.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Keeps a copy of `fd` in reserve for cgr_open. Not for handlers.
void cgr_open_prepare(int fd);

/// Set while the report of a death is made: the program needs the reserve no more, and other threads may take what is
/// free until they stop.
extern bool cgr_open_makes_room;

/// Opens a file; returns the descriptor or -errno. Async-signal-safe.
long cgr_open(int folder, const char *path, int flags, int mode);

/// Makes a file that its owner alone reads and writes, and that was not there; returns the descriptor or -errno.
/// `flags` say how it is opened. What the program's umask takes away from the owner is given back. Async-signal-safe.
long cgr_create_private(int folder, const char *path, int flags);

#pragma GCC visibility pop
