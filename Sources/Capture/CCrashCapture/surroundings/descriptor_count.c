// A look at each entry of /proc/self/fd. System calls only.

#include "surroundings/descriptor_count.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "CGround/folder_entries.h"
#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static const char *const beginnings[] = {
#define KIND(name, beginning) beginning,
    CK_DESCRIPTOR_KINDS(KIND)
#undef KIND
};

const char *ck_descriptor_kind_name(ck_descriptor_kind kind) {
  static const char *const names[] = {
#define KIND(name, beginning) #name,
      CK_DESCRIPTOR_KINDS(KIND)
#undef KIND
  };
  return names[kind];
}

static ck_descriptor_kind kind_of(int folder, const char *name) {
  char link[64];
  long size = cgr_syscall4(SYS_readlinkat, folder, name, link, sizeof link - 1);
  if (size < 0) return CK_DESCRIPTOR_other;
  link[size] = 0;
  int kind = 0;
  while (!cgr_starts_with(link, beginnings[kind])) ++kind;
  return (ck_descriptor_kind)kind;
}

static void count_entry(ck_descriptor_count *count, int folder, const char *name) {
  const char *at = name;
  uint64_t number = cgr_parse_number(&at, name + cgr_length(name), 10);
  if (at == name || number == (uint64_t)folder) return;
  if (count->open++ < CK_DESCRIPTORS_LOOKED_AT) ++count->kinds[kind_of(folder, name)];
}

void ck_descriptors_count(ck_descriptor_count *count) {
  cgr_zero(count, sizeof *count);
  struct rlimit limit;
  if (cgr_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0) count->limit = limit.rlim_cur;
  long folder = cgr_open(AT_FDCWD, "/proc/thread-self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  cgr_folder_entries entries;
  cgr_folder_entries_begin(&entries, (int)folder);
  for (const char *name; (name = cgr_folder_entries_next(&entries)) != NULL;) count_entry(count, (int)folder, name);
  cgr_syscall1(SYS_close, folder);
  count->is_read = true;
}
