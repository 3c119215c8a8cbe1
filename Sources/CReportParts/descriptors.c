// Descriptors. System calls only.

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "syscalls.h"
#include "unjumped.h"

static ck_held_descriptor standard_error = {-1, 0, 0};

static bool identity(int fd, uint64_t *device, uint64_t *inode) {
  struct stat status;
  long result = ck_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH);
  *device = (uint64_t)status.st_dev;
  *inode = (uint64_t)status.st_ino;
  return result == 0;
}

void ck_hold(ck_held_descriptor *held, int fd) {
  held->fd = fd;
  if (fd >= 0 && !identity(fd, &held->device, &held->inode)) held->fd = -1;
}

// A program may have closed our descriptor and opened its own under the same number.
bool ck_still_ours(const ck_held_descriptor *held) {
  uint64_t device, inode;
  return held->fd >= 0 && identity(held->fd, &device, &inode) && device == held->device && inode == held->inode;
}

void ck_standard_error_prepare(void) { ck_hold(&standard_error, 2); }

// What the program has put in the place of its standard error since may be its data. A log that lines are appended to,
// or a terminal, is not.
bool ck_may_write_to_stderr(void) {
  if (ck_still_ours(&standard_error)) return true;
  struct stat status;
  if (ck_syscall4(SYS_newfstatat, 2, "", &status, AT_EMPTY_PATH) != 0) return false;
  long flags = ck_syscall3(SYS_fcntl, 2, F_GETFL, 0);
  return S_ISCHR(status.st_mode) || (S_ISREG(status.st_mode) && flags >= 0 && flags & O_APPEND);
}

int ck_write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    long done = ck_syscall3(SYS_write, fd, bytes, size);
    if (done == -EINTR && ck_report_out_of_time) return ETIME;
    if (done == -EINTR) continue;
    if (done <= 0) return done < 0 ? (int)-done : EIO;
    bytes += done;
    size -= (size_t)done;
  }
  return 0;
}

int ck_write_stderr(const char *bytes, size_t size) {
  if (!ck_may_write_to_stderr()) return EBADF;
  uint64_t pipe_signal = 1ull << (SIGPIPE - 1), before = 0, pending = 0;
  ck_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &pipe_signal, &before, 8);
  ck_syscall2(SYS_rt_sigpending, &pending, 8);
  int error = ck_write_all(2, bytes, size);
  struct timespec at_once = {0, 0};
  if (error == EPIPE && !(pending & pipe_signal)) ck_syscall4(SYS_rt_sigtimedwait, &pipe_signal, NULL, &at_once, 8);
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
  return error;
}
