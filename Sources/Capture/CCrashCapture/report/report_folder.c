// The folder of the reports, held since install. System calls only.

#include "report/report_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>

#include "CGround/descriptors.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static cgr_held_descriptor directory = {-1, 0, 0};
static cgr_held_descriptor reserve = {-1, 0, 0};
char ck_folder_path[400];

// A program may count on the lowest numbers: those of the standard streams above all, where it was started without.
int ck_out_of_the_way(int fd) {
  static const int first_choices[] = {200, 40, 3};
  for (size_t i = 0; i < sizeof first_choices / sizeof *first_choices; ++i) {
    long copy = cgr_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_choices[i]);
    if (copy >= 0) return (int)copy;
  }
  return -1;
}

void ck_folder_prepare(int fd, const char *path) {
  cgr_text text = CGR_TEXT(ck_folder_path);
  cgr_text_string(&text, path);
  cgr_text_terminated(&text);
  cgr_hold(&directory, fd < 0 ? -1 : ck_out_of_the_way(fd));
  // A low number, which a limit that is lowered later still allows to be used again.
  cgr_hold(&reserve, fd < 0 ? -1 : (int)cgr_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3));
  if (fd >= 0) cgr_syscall1(SYS_close, fd);
}

int ck_folder_descriptor(void) { return cgr_still_ours(&directory) ? directory.fd : -1; }

void ck_folder_make_room(void) {
  long test = cgr_syscall4(SYS_openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC, 0);
  if (test >= 0) {
    cgr_syscall1(SYS_close, test);
    return;
  }
  if (test != -EMFILE) return;
  struct rlimit limit;
  if (cgr_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    cgr_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    return;
  }
  if (cgr_still_ours(&reserve)) cgr_syscall1(SYS_close, reserve.fd);
  reserve.fd = -1;
}
