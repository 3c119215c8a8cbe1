#include "CReportParts/report_name.h"

#include <errno.h>
#include <linux/fs.h>

#include "CGround/syscalls.h"
#include "CGround/text.h"

void crp_report_name_make(crp_report_name *name, uint64_t realtime_ns, int pid, const char *kind) {
  cgr_text whole = {.bytes = name->whole, .capacity = sizeof name->whole - sizeof ".json"};
  cgr_text_file_time(&whole, (int64_t)realtime_ns);
  cgr_text_string(&whole, "-");
  cgr_text_unsigned(&whole, (uint64_t)pid);
  cgr_text_string(&whole, "-");
  cgr_text_string(&whole, kind);
  whole.capacity = sizeof name->whole;
  cgr_text_string(&whole, ".json");
  cgr_text_terminated(&whole);
  cgr_text partial = CGR_TEXT(name->partial);
  cgr_text_string(&partial, name->whole);
  cgr_text_string(&partial, ".partial");
  cgr_text_terminated(&partial);
}

#define TRIES_MAX 3

static bool is_put_off(long result) { return result == -EINTR || result == -EAGAIN; }

// By a kernel or a file system that does not know the call, or by a filter.
static bool is_refused(long result) {
  bool is_error = result == -ENOSYS || result == -EINVAL || result == -EPERM || result == -EACCES;
  return is_error || is_put_off(result);
}

int crp_report_name_complete(const crp_report_name *name, int folder, bool replaces) {
  unsigned flags = replaces ? 0 : RENAME_NOREPLACE;
  long renamed = -EINTR;
  for (int tries = 0; is_put_off(renamed) && tries < TRIES_MAX; ++tries)
    renamed = cgr_syscall5(SYS_renameat2, folder, name->partial, folder, name->whole, flags);
  if (is_refused(renamed)) renamed = cgr_syscall4(SYS_renameat, folder, name->partial, folder, name->whole);
  if (is_refused(renamed)) {
    renamed = cgr_syscall5(SYS_linkat, folder, name->partial, folder, name->whole, 0);
    if (renamed == 0) cgr_syscall3(SYS_unlinkat, folder, name->partial, 0);
  }
  return (int)-renamed;
}
