// The file of one violation. System calls and functions of strings only, except ctg_report_file_prepare.

#include "findings/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "CReportParts/crash_capture.h"
#include "CGround/descriptors.h"
#include "CReportParts/directory.h"
#include "CReportParts/report_name.h"
#include "CGround/open_file.h"
#include "ground/guard_lines.h"
#include "CGround/program_path.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CGround/write_signals.h"

static crp_directory_choices choices;
static char path[600];  // of the finished file
static size_t folder_size;
static crp_report_name name;
static int directory = -1, file = -1;
static int error;

const char *ctg_process_name(void) {
  static char kept[64];
  if (!kept[0]) cgr_program_name(kept, sizeof kept);
  return kept[0] ? kept : "unnamed";
}

void ctg_report_file_prepare(void) { crp_directory_choose(&choices, NULL, ctg_process_name(), false); }

static __attribute__((noinline)) void say_once(const char *what, const char *why) {
  static bool said;
  if (said) return;
  said = true;
  char bytes[1024];
  cgr_text text = CGR_TEXT(bytes);
  ctg_line_head(&text);
  cgr_text_string(&text, what);
  if (why) cgr_text_string(&text, why);
  ctg_line_end(&text);
}

static __attribute__((noinline)) int open_directory(void) {
  const crp_crash_capture *capture = crp_crash_capture_lent();
  if (capture && capture->directory) {
    cgr_text text = {.bytes = path, .capacity = sizeof path - sizeof name.partial};
    cgr_text_string(&text, capture->directory);
    cgr_text_terminated(&text);
    long fd = cgr_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
      say_once("violations leave no files, because their folder cannot be opened: ", strerrordesc_np((int)-fd));
    return (int)fd;
  }
  char warning[1024] = "";
  int fd = crp_directory_open_chosen(&choices, path, sizeof path - sizeof name.partial, warning, sizeof warning);
  if (fd < 0)
    say_once("no directory is writable, so violations leave no files", NULL);
  else if (warning[0])
    say_once(warning, NULL);
  return fd;
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
  crp_report_name_make(&name, ms * 1000000, (int)cgr_syscall0(SYS_getpid), kind);
  file = (int)cgr_create_private(directory, name.partial, O_WRONLY);
  if (file >= 0) return true;
  say_once("a violation's file cannot be made: ", strerrordesc_np(-file));
  cgr_syscall1(SYS_close, directory);
  return false;
}

void ctg_report_file_write(void *unused, const char *bytes, size_t size) {
  (void)unused;
  if (error != 0) return;
  cgr_write_signals held;
  cgr_write_signals_hold(&held);
  error = cgr_write_all(file, bytes, size);
  cgr_write_signals_release(&held, error);
}

const char *ctg_report_file_finish(void) {
  cgr_syscall1(SYS_close, file);
  if (error == 0) error = crp_report_name_complete(&name, directory, false);
  if (error != 0) {
    cgr_syscall3(SYS_unlinkat, directory, name.partial, 0);
    say_once("a violation's file cannot be written: ", strerrordesc_np(error));
  }
  cgr_syscall1(SYS_close, directory);
  if (error != 0) return NULL;
  cgr_text text = {.bytes = path, .size = folder_size, .capacity = sizeof path};
  cgr_text_string(&text, "/");
  cgr_text_string(&text, name.whole);
  return cgr_text_terminated(&text);
}
