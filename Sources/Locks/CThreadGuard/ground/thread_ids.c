// Threads, read from /proc.

#include "ground/thread_ids.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "CGround/syscalls.h"
#include "CGround/text.h"

struct entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

// 0 for the folder itself and the one above it.
static int id_of(const char *name) {
  int id = 0;
  for (; *name >= '0' && *name <= '9'; ++name) id = id * 10 + (*name - '0');
  return id;
}

void ctg_thread_ids_visit(void (*visit)(int thread, void *context), void *context) {
  char buffer[4096] __attribute__((aligned(8)));
  long folder = cgr_syscall4(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  for (long size; (size = cgr_syscall3(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < size;) {
      const struct entry *entry = (const struct entry *)(buffer + at);
      at += entry->size;
      if (id_of(entry->name)) visit(id_of(entry->name), context);
    }
  cgr_syscall1(SYS_close, folder);
}

char ctg_thread_run_state(int thread) {
  char path[64], line[128];
  cgr_text text = CGR_TEXT(path);
  cgr_text_string(&text, "/proc/self/task/");
  cgr_text_unsigned(&text, (uint64_t)thread);
  cgr_text_string(&text, "/stat");
  long file = cgr_syscall4(SYS_openat, AT_FDCWD, cgr_text_terminated(&text), O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  long size = cgr_syscall3(SYS_read, file, line, sizeof line);
  cgr_syscall1(SYS_close, file);
  // The name stands in parentheses before it, and is at most 15 bytes long.
  for (long at = size - 3; at > 0; --at)
    if (line[at] == ')' && line[at + 1] == ' ') return line[at + 2];
  return 0;
}
