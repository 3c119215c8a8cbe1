#pragma once
// Files of /proc, read through a small buffer. Every function is async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Reads up to `size - 1` bytes of `path`, adds a zero, returns the length; -errno if it cannot be opened.
long cgr_file_read(const char *path, char *buffer, size_t size);

/// One line at a time; longer lines come cut to the buffer. A file ends after 64 MiB, ten times what the mappings of a
/// process take: a device in its place may have no end.
typedef struct cgr_lines {
  int fd;
  size_t start, end, taken;
  bool at_end;
  bool skipping;
  char buffer[4096];
} cgr_lines;

bool cgr_lines_open(cgr_lines *lines, const char *path);
/// The next line without its newline, or NULL; `*line_end` is set behind its last character.
const char *cgr_lines_next(cgr_lines *lines, const char **line_end);
void cgr_lines_close(cgr_lines *lines);

/// Builds "/proc/self/task/TID/NAME" in `out` (64 bytes).
void cgr_task_path(char out[64], int tid, const char *name);

#pragma GCC visibility pop
