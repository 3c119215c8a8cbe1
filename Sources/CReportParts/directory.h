#pragma once
// Where reports go. Not for handlers.

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Finds, or makes, the first directory of the documented order that can be written to, and writes its absolute path.
/// Returns a descriptor for it, or -1 where there is none, with the reason for the wanted one in `warning`.
/// `wanted` is the program's choice or NULL; `name` the application's.
int ck_directory_open(const char *wanted, const char *name, char *path, size_t path_capacity, char *warning,
                      size_t warning_capacity);

#pragma GCC visibility pop
