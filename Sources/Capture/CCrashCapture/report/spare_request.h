#pragma once
// Asks `crashsym run` for a file in the folder of reports. Not for handlers.

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A descriptor for an empty, locked file that `crashsym run` has made for this process, or -1: it does not answer
/// within a second, or does not make files. Writes the file's name. CRASHKIT_SPARE names the socket.
int ck_spare_request(char *name, size_t capacity);

#pragma GCC visibility pop
