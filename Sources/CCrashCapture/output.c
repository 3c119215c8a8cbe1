// The report's file. System calls only.

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "descriptors.h"
#include "guard.h"
#include "memory.h"
#include "syscalls.h"
#include "text.h"

// --- Descriptors held since install --------------------------------------------------------------------------

static ck_held_descriptor directory = {-1, 0, 0};
static ck_held_descriptor reserve = {-1, 0, 0};
static char directory_path[400];
static bool too_large;  // the size limit was met, and SIGXFSZ waits

// A program may count on the lowest numbers: those of the standard streams above all, where it was started without.
static int out_of_the_way(int fd) {
  static const int first_choices[] = {200, 40, 3};
  for (size_t i = 0; i < sizeof first_choices / sizeof *first_choices; ++i) {
    long copy = ck_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_choices[i]);
    if (copy >= 0) return (int)copy;
  }
  return -1;
}

void ck_output_prepare(int fd, const char *path) {
  ck_text text = CK_TEXT(directory_path);
  ck_text_string(&text, path);
  ck_text_terminated(&text);
  ck_standard_error_prepare();
  ck_hold(&directory, fd < 0 ? -1 : out_of_the_way(fd));
  // A low number, which a limit that is lowered later still allows to be used again.
  ck_hold(&reserve, fd < 0 ? -1 : (int)ck_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3));
  if (fd >= 0) ck_syscall1(SYS_close, fd);
}

void ck_output_make_room(void) {
  long test = ck_syscall4(SYS_openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC, 0);
  if (test >= 0) {
    ck_syscall1(SYS_close, test);
    return;
  }
  if (test != -EMFILE) return;
  struct rlimit limit;
  if (ck_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ck_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    return;
  }
  if (ck_still_ours(&reserve)) ck_syscall1(SYS_close, reserve.fd);
  reserve.fd = -1;
}

// --- Numbered lines ------------------------------------------------------------------------------------------

static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

void ck_output_drop_signals(void) {
  uint64_t own = 1ull << (SIGXFSZ - 1);
  struct timespec at_once = {0, 0};
  if (too_large) ck_syscall4(SYS_rt_sigtimedwait, &own, NULL, &at_once, 8);
  too_large = false;
}

static void note(ck_output *output, int error) {
  if (error == 0) return;
  too_large |= error == EFBIG;
  output->cut = true;
  if (output->error == 0) output->error = error;
}

// The file may still take what standard error does not: a pipe that nobody empties, or none at all.
static void note_numbered(ck_output *output, int error) {
  if (error == 0) return;
  output->numbered = false;
  if (output->file < 0) note(output, error);
}

static void line_head(ck_output *output, ck_text *text) {
  ck_text_string(text, "crashkit-report ");
  ck_text_string(text, output->id);
  ck_text_string(text, " ");
}

static void write_line(ck_output *output) {
  if (output->pending_size == 0) return;
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char buffer[900];
  ck_text text = CK_TEXT(buffer);
  line_head(output, &text);
  ck_text_unsigned(&text, ++output->line);
  ck_text_string(&text, " ");
  for (size_t i = 0; i < output->pending_size; i += 3) {
    size_t left = output->pending_size - i;
    const uint8_t *p = output->pending + i;
    uint32_t group = (uint32_t)p[0] << 16 | (left > 1 ? (uint32_t)p[1] << 8 : 0) | (left > 2 ? p[2] : 0);
    char four[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                    left > 2 ? digits[group & 63] : '='};
    ck_text_bytes(&text, four, 4);
  }
  ck_text_string(&text, "\n");
  output->crc = crc_add(output->crc, output->pending, output->pending_size);
  output->pending_size = 0;
  note_numbered(output, ck_write_stderr(text.bytes, text.size));
}

static void write_numbered(ck_output *output, const char *bytes, size_t size) {
  while (size > 0) {
    size_t room = sizeof output->pending - output->pending_size;
    size_t part = size < room ? size : room;
    ck_copy(output->pending + output->pending_size, bytes, part);
    output->pending_size += part;
    bytes += part;
    size -= part;
    if (output->pending_size == sizeof output->pending) write_line(output);
  }
}

static void end_numbered(ck_output *output) {
  write_line(output);
  char buffer[96];
  ck_text text = CK_TEXT(buffer);
  line_head(output, &text);
  ck_text_string(&text, "end ");
  ck_text_unsigned(&text, output->line);
  ck_text_string(&text, " ");
  ck_text_hex(&text, output->crc, 8);
  ck_text_string(&text, "\n");
  note_numbered(output, ck_write_stderr(text.bytes, text.size));
}

// --- The file ------------------------------------------------------------------------------------------------

static void make_names(ck_output *output, uint64_t realtime_ns, int pid, const char *kind) {
  ck_text name = CK_TEXT(output->name);
  ck_text_file_time(&name, (int64_t)realtime_ns);
  ck_text_string(&name, "-");
  ck_text_unsigned(&name, (uint64_t)pid);
  ck_text_string(&name, "-");
  ck_text_string(&name, kind);
  ck_text_string(&name, ".json");
  ck_text_terminated(&name);
  ck_text partial = CK_TEXT(output->partial);
  ck_text_string(&partial, output->name);
  ck_text_string(&partial, ".partial");
  ck_text_terminated(&partial);
  ck_text path = CK_TEXT(output->path);
  ck_text_string(&path, directory_path);
  ck_text_string(&path, "/");
  ck_text_string(&path, output->name);
  ck_text_terminated(&path);
  ck_text id = CK_TEXT(output->id);
  ck_text_hex(&id, (realtime_ns / 1000 ^ (uint64_t)pid << 20) & 0xffffffff, 8);
  ck_text_string(&id, "-");
  ck_text_unsigned(&id, (uint64_t)pid);
  ck_text_terminated(&id);
}

static int create(int in, const char *name) {
  return (int)ck_syscall4(SYS_openat, in, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

void ck_output_open(ck_output *output, uint64_t realtime_ns, int pid, const char *kind, bool numbered) {
  ck_zero(output, sizeof *output);
  output->file = output->directory = -1;
  make_names(output, realtime_ns, pid, kind);
  if (directory_path[0] != 0) {
    if (ck_still_ours(&directory)) output->directory = directory.fd;
    if (output->directory >= 0) output->file = create(output->directory, output->partial);
    if (output->file < 0) {
      // Our descriptor is gone, or the directory was removed and made anew: by its path, then.
      output->directory =
          (int)ck_syscall4(SYS_openat, AT_FDCWD, directory_path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
      if (output->directory >= 0) output->file = create(output->directory, output->partial);
    }
    if (output->file < 0) output->error = -output->file;
  }
  output->numbered = numbered || output->file < 0;
}

void ck_output_write(void *context, const char *bytes, size_t size) {
  ck_output *output = context;
  output->written += size;
  if (output->file >= 0 && !output->cut) note(output, ck_write_all(output->file, bytes, size));
  if (output->numbered) write_numbered(output, bytes, size);
}

static void finish_file(ck_output *output) {
  long renamed = ck_syscall5(SYS_renameat2, output->directory, output->partial, output->directory, output->name,
                             output->replaces ? 0 : RENAME_NOREPLACE);
  if (renamed == -ENOSYS || renamed == -EINVAL)
    renamed = ck_syscall4(SYS_renameat, output->directory, output->partial, output->directory, output->name);
  if (renamed == 0) return;
  output->error = (int)-renamed;
  // It stays under its partial name, which is as readable.
  ck_text path = CK_TEXT(output->path);
  ck_text_string(&path, directory_path);
  ck_text_string(&path, "/");
  ck_text_string(&path, output->partial);
  ck_text_terminated(&path);
}

static void close_file(ck_output *output) {
  ++ck_guard_held;
  ck_syscall1(SYS_close, output->file);
  output->file = -1;
  finish_file(output);
  --ck_guard_held;
}

void ck_output_discard(ck_output *output) {
  if (output->file < 0) return;
  ck_syscall1(SYS_close, output->file);
  output->file = -1;
  ck_syscall3(SYS_unlinkat, output->directory, output->partial, 0);
}

static bool is_empty(int fd) {
  struct stat status;
  return ck_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) == 0 && status.st_size == 0;
}

// A limit on the size of files holds for standard error as well, where that is a file.
static bool stderr_may_take_it(int error) {
  struct stat status;
  bool known = ck_syscall4(SYS_newfstatat, 2, "", &status, AT_EMPTY_PATH) == 0;
  return ck_may_write_to_stderr() && !(error == EFBIG && known && S_ISREG(status.st_mode));
}

bool ck_output_start_over(ck_output *output) {
  if (output->file < 0 || !output->cut || output->numbered || !stderr_may_take_it(output->error)) return false;
  if (is_empty(output->file)) {
    ck_output_discard(output);
    output->path[0] = 0;
  } else {
    close_file(output);
  }
  output->numbered = output->is_second = true;
  output->written = 0;
  return true;
}

void ck_output_finish(ck_output *output) {
  if (output->numbered) end_numbered(output);
  if (output->file >= 0) close_file(output);
}

// A file that could not be renamed holds the whole report under its partial name.
bool ck_output_is_whole(const ck_output *output) {
  return output->numbered || (output->directory >= 0 && !output->cut);
}
