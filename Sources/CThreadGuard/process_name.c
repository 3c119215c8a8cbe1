// The name of the program's file. System calls and functions of strings only.

#include "process_name.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "syscalls.h"
#include "text.h"

static char name[64];

static __attribute__((noinline)) void read_name(void) {
  static const char deleted[] = " (deleted)";
  char path[PATH_MAX];
  long size = ck_syscall4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
  if (size <= 0) return;
  path[size] = 0;
  size_t kept = (size_t)size;
  if (kept > sizeof deleted && strcmp(path + kept - (sizeof deleted - 1), deleted) == 0) path[kept - sizeof deleted + 1] = 0;
  const char *slash = strrchr(path, '/');
  ck_text text = CK_TEXT(name);
  ck_text_string(&text, slash ? slash + 1 : path);
  ck_text_terminated(&text);
}

const char *ctg_process_name(void) {
  if (!name[0]) read_name();
  return name[0] ? name : "unnamed";
}
