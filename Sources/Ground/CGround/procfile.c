// Files of /proc. System calls only.

#include "CGround/procfile.h"

#include <fcntl.h>

#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

enum { MOST_TAKEN = 64 << 20 };

// A user may have mounted a pipe or a device over a path of /proc or /sys.
static long open_at_once(const char *path) {
  return cgr_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
}

long cgr_file_read(const char *path, char *buffer, size_t size) {
  long fd = open_at_once(path);
  if (fd < 0) return fd;
  size_t done = 0;
  while (done + 1 < size) {
    long got = cgr_syscall3(SYS_read, fd, buffer + done, size - 1 - done);
    if (got <= 0) break;
    done += (size_t)got;
  }
  cgr_syscall1(SYS_close, fd);
  buffer[done] = 0;
  return (long)done;
}

bool cgr_lines_open(cgr_lines *lines, const char *path) {
  long fd = open_at_once(path);
  lines->fd = (int)fd;
  lines->start = lines->end = lines->taken = 0;
  lines->at_end = fd < 0;
  lines->skipping = false;
  return fd >= 0;
}

const char *cgr_lines_next(cgr_lines *lines, const char **line_end) {
  for (;;) {
    for (size_t i = lines->start; i < lines->end; ++i) {
      if (lines->buffer[i] != '\n') continue;
      const char *line = lines->buffer + lines->start;
      *line_end = lines->buffer + i;
      lines->start = i + 1;
      if (!lines->skipping) return line;
      lines->skipping = false;
    }
    size_t rest = lines->end - lines->start;
    if (lines->at_end) {
      if (rest == 0 || lines->skipping) return NULL;
      *line_end = lines->buffer + lines->end;
      const char *line = lines->buffer + lines->start;
      lines->start = lines->end;
      return line;
    }
    if (rest == sizeof lines->buffer) {
      // Too long a line: its start is handed out, the rest skipped.
      bool again = lines->skipping;
      lines->start = lines->end;
      lines->skipping = true;
      if (!again) {
        *line_end = lines->buffer + lines->end;
        return lines->buffer;
      }
      rest = 0;
    }
    for (size_t i = 0; i < rest; ++i) lines->buffer[i] = lines->buffer[lines->start + i];
    lines->start = 0;
    lines->end = rest;
    long got = cgr_syscall3(SYS_read, lines->fd, lines->buffer + rest, sizeof lines->buffer - rest);
    if (got <= 0 || lines->taken >= MOST_TAKEN) {
      lines->at_end = true;
    } else {
      lines->end += (size_t)got;
      lines->taken += (size_t)got;
    }
  }
}

void cgr_lines_close(cgr_lines *lines) {
  if (lines->fd >= 0) cgr_syscall1(SYS_close, lines->fd);
  lines->fd = -1;
}

void cgr_task_path(char out[64], int tid, const char *name) {
  cgr_text text = {.bytes = out, .capacity = 64};
  cgr_text_string(&text, "/proc/self/task/");
  cgr_text_unsigned(&text, (uint64_t)tid);
  cgr_text_string(&text, "/");
  cgr_text_string(&text, name);
  cgr_text_terminated(&text);
}
