// The report's file. System calls only.

#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "CGround/descriptors.h"
#include "processor/guard.h"
#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "report/numbered_lines.h"
#include "report/report_folder.h"
#include "report/spare_file.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static void make_path(ck_output *output, const char *name) {
  cgr_text path = CGR_TEXT(output->path);
  cgr_text_string(&path, ck_folder_path);
  cgr_text_string(&path, "/");
  cgr_text_string(&path, name);
  cgr_text_terminated(&path);
}

static void make_names(ck_output *output, uint64_t realtime_ns, int pid, const char *kind) {
  crp_report_name_make(&output->name, realtime_ns, pid, kind);
  make_path(output, output->name.whole);
  cgr_text id = CGR_TEXT(output->id);
  cgr_text_hex(&id, (realtime_ns / 1000 ^ (uint64_t)pid << 20) & 0xffffffff, 8);
  cgr_text_string(&id, "-");
  cgr_text_unsigned(&id, (uint64_t)pid);
  cgr_text_terminated(&id);
}

static int create(int in, const char *name) { return (int)cgr_create_private(in, name, O_RDWR); }

// A file in the directory that the path leads to now, or -errno.
static int create_by_path(ck_output *output) {
  int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int found = (int)cgr_open(AT_FDCWD, ck_folder_path, flags, 0);
  if (found < 0) return found;
  int file = create(found, output->name.partial);
  if (file < 0) {
    cgr_syscall1(SYS_close, found);
    return file;
  }
  output->directory = found;
  output->owns_directory = true;
  return file;
}

void ck_output_open(ck_output *output, uint64_t realtime_ns, int pid, const char *kind, bool numbered) {
  cgr_zero(output, sizeof *output);
  output->file = output->directory = -1;
  make_names(output, realtime_ns, pid, kind);
  if (ck_folder_path[0] != 0) {
    output->directory = ck_folder_descriptor();
    if (output->directory >= 0) output->file = create(output->directory, output->name.partial);
    // Our descriptor is gone, or the directory was removed and made anew: by its path, then.
    if (output->file < 0) output->file = create_by_path(output);
    if (output->file < 0) {
      output->error = -output->file;
      output->directory = -1;
    }
  }
  output->numbered = output->file < 0;
  output->repeats = numbered && output->file >= 0;
  output->wait_left_ns = CK_LOG_WAIT_NS;
}

void ck_output_use_spare(ck_output *output, bool numbered) {
  if (output->file >= 0) return;
  output->file = ck_spare_take(output->name.whole, sizeof output->name.whole);
  if (output->file < 0) return;
  // The folder itself is not needed from here on.
  output->is_spare = true;
  output->error = 0;
  output->numbered = false;
  output->repeats = numbered;
  make_path(output, output->name.whole);
}

void ck_output_write(void *context, const char *bytes, size_t size) {
  ck_output *output = context;
  output->written += size;
  if (output->file >= 0 && !output->cut) ck_output_note(output, cgr_write_all(output->file, bytes, size));
  if (output->numbered) ck_numbered_write(output, bytes, size);
}

static void finish_file(ck_output *output) {
  if (output->is_spare) return ck_spare_finish(output->file);
  int error = crp_report_name_complete(&output->name, output->directory, output->replaces);
  if (error == 0) return;
  output->error = error;
  // It stays under its partial name, which is as readable.
  make_path(output, output->name.partial);
}

static void close_file(ck_output *output) {
  cgr_syscall1(SYS_close, output->file);
  output->file = -1;
  if (output->owns_directory) cgr_syscall1(SYS_close, output->directory);
  output->owns_directory = false;
}

static void end_file(ck_output *output) {
  ++cgr_guard_held;
  finish_file(output);
  if (!output->repeats) close_file(output);
  --cgr_guard_held;
}

void ck_output_discard(ck_output *output) {
  if (output->file < 0) return;
  if (output->is_spare)
    cgr_syscall2(SYS_ftruncate, output->file, 0);
  else
    cgr_syscall3(SYS_unlinkat, output->directory, output->name.partial, 0);
  close_file(output);
}

static bool is_empty(int fd) {
  struct stat status;
  return cgr_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) == 0 && status.st_size == 0;
}

// A limit on the size of files holds for standard error as well if that is a file.
static bool stderr_may_take_it(int error) {
  struct stat status;
  bool known = cgr_syscall4(SYS_newfstatat, 2, "", &status, AT_EMPTY_PATH) == 0;
  return cgr_may_write_to_stderr() && !(error == EFBIG && known && S_ISREG(status.st_mode));
}

bool ck_output_start_over(ck_output *output) {
  if (output->file < 0 || !output->cut || output->numbered || !stderr_may_take_it(output->error)) return false;
  output->repeats = false;
  if (is_empty(output->file)) {
    ck_output_discard(output);
    output->path[0] = 0;
  } else {
    end_file(output);
  }
  output->numbered = output->is_second = true;
  output->written = 0;
  return true;
}

void ck_output_finish(ck_output *output) {
  if (output->numbered) ck_numbered_end(output);
  if (output->file >= 0) end_file(output);
}

void ck_output_repeat(ck_output *output) {
  if (!output->repeats || output->file < 0) return;
  // The time limit may end this in the middle: there is no second attempt.
  output->repeats = false;
  output->numbered = true;
  char bytes[4096];
  long size = 0;
  for (uint64_t at = 0; output->numbered; at += (uint64_t)size) {
    size = cgr_syscall4(SYS_pread64, output->file, bytes, sizeof bytes, at);
    if (size <= 0) break;
    ck_numbered_write(output, bytes, (size_t)size);
  }
  if (output->numbered && size == 0) ck_numbered_end(output);
  output->numbered = false;
  close_file(output);
}

// A file that could not be renamed holds the whole report under its partial name.
bool ck_output_is_whole(const ck_output *output) {
  return output->numbered || (ck_output_has_file(output) && !output->cut);
}
