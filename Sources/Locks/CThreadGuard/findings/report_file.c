// The file of one violation. System calls and functions of strings only, but for ctg_report_file_prepare.

#include "findings/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>

#include "CReportParts/crash_capture.h"
#include "CGround/descriptors.h"
#include "CReportParts/directory.h"
#include "ground/guard_lines.h"
#include "CGround/program_path.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CGround/write_signals.h"

static ck_directory_choices choices;
static char path[600];  // of the finished file
static size_t folder_size;
static char name[96], partial[112];
static int directory = -1, file = -1;
static int error;

const char *ctg_process_name(void) {
  static char kept[64];
  if (!kept[0]) ck_program_name(kept, sizeof kept);
  return kept[0] ? kept : "unnamed";
}

void ctg_report_file_prepare(void) { ck_directory_choose(&choices, NULL, ctg_process_name(), false); }

static __attribute__((noinline)) void say_once(const char *what, const char *why) {
  static bool said;
  if (said) return;
  said = true;
  char bytes[1024];
  ck_text text = CK_TEXT(bytes);
  ctg_line_head(&text);
  ck_text_string(&text, what);
  if (why) ck_text_string(&text, why);
  ctg_line_end(&text);
}

static __attribute__((noinline)) int open_directory(void) {
  const ck_crash_capture *capture = ck_crash_capture_lent();
  if (capture && capture->directory) {
    ck_text text = {.bytes = path, .capacity = sizeof path - sizeof partial};
    ck_text_string(&text, capture->directory);
    ck_text_terminated(&text);
    long fd = ck_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0) say_once("violations leave no files, for their folder cannot be opened: ", strerrordesc_np((int)-fd));
    return (int)fd;
  }
  char warning[1024] = "";
  int fd = ck_directory_open_chosen(&choices, path, sizeof path - sizeof partial, warning, sizeof warning);
  if (fd < 0)
    say_once("no directory can be written to, so that violations leave no files", NULL);
  else if (warning[0])
    say_once(warning, NULL);
  return fd;
}

static void make_name(uint64_t realtime_ns, const char *kind) {
  ck_text text = CK_TEXT(name);
  ck_text_file_time(&text, (int64_t)realtime_ns);
  ck_text_string(&text, "-");
  ck_text_unsigned(&text, (uint64_t)ck_syscall0(SYS_getpid));
  ck_text_string(&text, "-");
  ck_text_string(&text, kind);
  ck_text_string(&text, ".json");
  ck_text_terminated(&text);
  text = CK_TEXT(partial);
  ck_text_string(&text, name);
  ck_text_string(&text, ".partial");
  ck_text_terminated(&text);
}

bool ctg_report_file_open(uint64_t realtime_ns, const char *kind) {
  // Names have milliseconds: each report has one of its own.
  static uint64_t last_ms;
  uint64_t ms = realtime_ns / 1000000;
  if (ms <= last_ms) ms = last_ms + 1;
  last_ms = ms;
  error = 0;
  directory = open_directory();
  if (directory < 0) return false;
  folder_size = strlen(path);
  make_name(ms * 1000000, kind);
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  file = (int)ck_syscall4(SYS_openat, directory, partial, flags, 0600);
  if (file >= 0) return true;
  say_once("a violation's file cannot be made: ", strerrordesc_np(-file));
  ck_syscall1(SYS_close, directory);
  return false;
}

void ctg_report_file_write(void *unused, const char *bytes, size_t size) {
  (void)unused;
  if (error != 0) return;
  ck_write_signals held;
  ck_write_signals_hold(&held);
  error = ck_write_all(file, bytes, size);
  ck_write_signals_release(&held, error);
}

const char *ctg_report_file_finish(void) {
  ck_syscall1(SYS_close, file);
  if (error == 0) {
    long renamed = ck_syscall5(SYS_renameat2, directory, partial, directory, name, RENAME_NOREPLACE);
    if (renamed == -ENOSYS || renamed == -EINVAL)
      renamed = ck_syscall4(SYS_renameat, directory, partial, directory, name);
    error = (int)-renamed;
  }
  if (error != 0) {
    ck_syscall3(SYS_unlinkat, directory, partial, 0);
    say_once("a violation's file cannot be written: ", strerrordesc_np(error));
  }
  ck_syscall1(SYS_close, directory);
  if (error != 0) return NULL;
  ck_text text = {.bytes = path, .size = folder_size, .capacity = sizeof path};
  ck_text_string(&text, "/");
  ck_text_string(&text, name);
  return ck_text_terminated(&text);
}
