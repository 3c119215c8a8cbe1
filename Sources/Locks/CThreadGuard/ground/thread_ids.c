// Threads, read from /proc.

#include "ground/thread_ids.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "CGround/folder_entries.h"
#include "CGround/procfile.h"
#include "CGround/syscalls.h"

// 0 for the folder itself and the one above it.
static int id_of(const char *name) {
  int id = 0;
  for (; *name >= '0' && *name <= '9'; ++name) id = id * 10 + (*name - '0');
  return id;
}

void ctg_thread_ids_visit(void (*visit)(int thread, void *context), void *context) {
  long folder = cgr_syscall4(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  cgr_folder_entries entries;
  cgr_folder_entries_begin(&entries, (int)folder);
  for (const char *name; (name = cgr_folder_entries_next(&entries)) != NULL;)
    if (id_of(name)) visit(id_of(name), context);
  cgr_syscall1(SYS_close, folder);
}

char ctg_thread_run_state(int thread) {
  char path[64], line[128];
  cgr_task_path(path, thread, "stat");
  long size = cgr_file_read(path, line, sizeof line);
  // The name stands in parentheses before it, and is at most 15 bytes long.
  for (long at = size - 3; at > 0; --at)
    if (line[at] == ')' && line[at + 1] == ' ') return line[at + 2];
  return 0;
}
