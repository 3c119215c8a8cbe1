// A folder's entries as getdents64(2) has them. System calls only.

#include "CGround/folder_entries.h"

#include <stddef.h>
#include <stdint.h>

#include "CGround/syscalls.h"

struct entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

void cgr_folder_entries_begin(cgr_folder_entries *entries, int folder) {
  entries->folder = folder;
  entries->size = entries->at = 0;
}

const char *cgr_folder_entries_next(cgr_folder_entries *entries) {
  if (entries->at >= entries->size) {
    entries->size = cgr_syscall3(SYS_getdents64, entries->folder, entries->bytes, sizeof entries->bytes);
    entries->at = 0;
  }
  if (entries->size <= 0) return NULL;
  const struct entry *entry = (const struct entry *)(const void *)(entries->bytes + entries->at);
  entries->at += entry->size;
  return entry->name;
}
