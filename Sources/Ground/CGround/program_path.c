// The path of the program's file. System calls, getauxval, which reads memory, and functions of strings only.

#include "CGround/program_path.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static bool equal(const void *one, const void *other, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (((const uint8_t *)one)[i] != ((const uint8_t *)other)[i]) return false;
  return true;
}

// Whether the file has the program headers that this process was started with. One at a time: the stack may be small.
static bool is_this_program(int file) {
  struct stat status;
  ElfW(Ehdr) header;
  if (cgr_syscall4(SYS_newfstatat, file, "", &status, AT_EMPTY_PATH) != 0 || !S_ISREG(status.st_mode)) return false;
  if (cgr_syscall4(SYS_pread64, file, &header, sizeof header, 0) != sizeof header) return false;
  size_t count = getauxval(AT_PHNUM), at = getauxval(AT_PHDR);
  if (count == 0 || header.e_phnum != count) return false;
  for (size_t i = 0; i < count; ++i) {
    ElfW(Phdr) ours, theirs;
    size_t offset = i * sizeof ours;
    if (cgr_syscall4(SYS_pread64, file, &theirs, sizeof theirs, header.e_phoff + offset) != sizeof theirs) return false;
    if (cgr_memory_read(at + offset, &ours, sizeof ours) != sizeof ours) return false;
    if (!equal(&ours, &theirs, sizeof ours)) return false;
  }
  return true;
}

// The path given to execve(2). It is a script's own if the program is the script's interpreter.
static bool read_started_path(char *out) {
  const char *path = (const char *)getauxval(AT_EXECFN);
  if (!path || cgr_length(path) >= PATH_MAX - 2) return false;
  long file = cgr_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (file < 0) return false;
  bool same = is_this_program((int)file);
  cgr_syscall1(SYS_close, file);
  if (!same) return false;
  bool has_slash = false;
  for (const char *at = path; *at; ++at) has_slash |= *at == '/';
  cgr_text text = {.bytes = out, .capacity = PATH_MAX};
  if (!has_slash) cgr_text_string(&text, "./");
  cgr_text_string(&text, path);
  cgr_text_terminated(&text);
  return true;
}

void cgr_program_path(char *out) {
  long size = cgr_syscall4(SYS_readlinkat, AT_FDCWD, "/proc/thread-self/exe", out, PATH_MAX - 1);
  if (size > 0) {
    out[size] = 0;
    return;
  }
  if (read_started_path(out)) return;
  cgr_text text = {.bytes = out, .capacity = PATH_MAX};
  cgr_text_string(&text, program_invocation_short_name);
  cgr_text_terminated(&text);
}

void cgr_program_name(char *out, size_t capacity) {
  static const char deleted[] = " (deleted)";
  char path[PATH_MAX];
  cgr_program_path(path);
  size_t size = cgr_length(path);
  size_t cut = size > sizeof deleted ? size - (sizeof deleted - 1) : 0;
  if (cut > 0 && cgr_starts_with(path + cut, deleted)) path[cut] = 0;
  const char *name = path;
  for (const char *at = path; *at; ++at)
    if (*at == '/') name = at + 1;
  cgr_text text = {.bytes = out, .capacity = capacity};
  cgr_text_string(&text, name);
  cgr_text_terminated(&text);
}
