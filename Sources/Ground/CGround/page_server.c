// Whether the memory of this process may wait to be filled. System calls only.

#include "CGround/page_server.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#include "CGround/folder_entries.h"
#include "CGround/open_file.h"
#include "CGround/resident_pages.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static bool is_page_server(long folder, const char *name) {
  static const char wanted[] = "anon_inode:[userfaultfd]";
  char link[sizeof wanted];
  long size = cgr_syscall4(SYS_readlinkat, folder, name, link, sizeof link);
  if (size != sizeof link - 1) return false;
  link[size] = 0;
  return cgr_starts_with(link, wanted);
}

static bool find_page_server(long folder) {
  cgr_folder_entries entries;
  cgr_folder_entries_begin(&entries, (int)folder);
  for (const char *name; (name = cgr_folder_entries_next(&entries)) != NULL;)
    if (is_page_server(folder, name)) return true;
  return false;
}

void cgr_page_server_look(void) {
  long folder = cgr_open(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  cgr_read_only_resident(find_page_server(folder));
  cgr_syscall1(SYS_close, folder);
}
