#pragma once
// The path of the program's file, with or without /proc.

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Writes the path that the kernel knows, which ends in " (deleted)" if the file was removed. Without /proc it is the
/// path that the program was started by, if that file is still this program; else the program's name, which holds no
/// slash. `out` ends in a zero and has room for PATH_MAX bytes. Async-signal-safe.
void cgr_program_path(char *out);

/// Writes the path's last part, without " (deleted)". Async-signal-safe.
void cgr_program_name(char *out, size_t capacity);

#pragma GCC visibility pop
