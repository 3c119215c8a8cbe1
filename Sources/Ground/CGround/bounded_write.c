// Writes that end in time. O_NONBLOCK belongs to the open file, which other processes share, so it is never set here:
// a pipe or a terminal is opened once more, and a socket takes a flag with each call. System calls only.

#include "CGround/bounded_write.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "CGround/clock.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CGround/unjumped.h"
#include "CGround/write_signals.h"

// How one descriptor is written to.
typedef struct way {
  int fd;
  bool is_reopened;  // `fd` is ours to close
  bool is_socket;
  bool polls_first;  // a write may wait, so only what fits is written
  size_t piece;      // the most that one call writes
} way;

// What a terminal or a socket surely takes when poll says that there is room.
#define SMALL_PIECE 256

static bool is_terminal(int fd) {
  char settings[64];
  return cgr_syscall3(SYS_ioctl, fd, TCGETS, settings) == 0;
}

static int open_again(int fd) {
  char path[32];
  cgr_text text = CGR_TEXT(path);
  cgr_text_string(&text, "/proc/self/fd/");
  cgr_text_unsigned(&text, (uint64_t)fd);
  cgr_text_terminated(&text);
  return (int)cgr_syscall4(SYS_openat, AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
}

// Returns 0 or an errno.
static int find_way(int fd, way *way) {
  struct stat status;
  long result = cgr_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH);
  if (result < 0) return (int)-result;
  way->fd = fd;
  way->is_reopened = way->polls_first = false;
  way->piece = SIZE_MAX;
  way->is_socket = S_ISSOCK(status.st_mode);
  // A disk answers in time, and whoever set O_NONBLOCK already has what this is about.
  if (way->is_socket || S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) return 0;
  long flags = cgr_syscall3(SYS_fcntl, fd, F_GETFL, 0);
  if (flags >= 0 && flags & O_NONBLOCK) return 0;
  bool terminal = S_ISCHR(status.st_mode) && is_terminal(fd);
  int again = S_ISFIFO(status.st_mode) || terminal ? open_again(fd) : -1;
  // A FIFO without a reader.
  if (again == -ENXIO) return EPIPE;
  if (again >= 0) {
    way->fd = again;
    way->is_reopened = true;
    return 0;
  }
  // Without /proc, or once the process may no longer open its own pipe. poll promises room for PIPE_BUF bytes. A device
  // such as /dev/kmsg takes each write as a record.
  way->polls_first = true;
  way->piece = S_ISFIFO(status.st_mode) ? PIPE_BUF : terminal ? SMALL_PIECE : SIZE_MAX;
  return 0;
}

// ppoll takes no more descriptors than the process may open, which may be none; pselect6 does not ask.
static long wait_with_select(int fd, struct timespec *time) {
  uint64_t writable[16] = {0};
  if (fd >= (int)(sizeof writable * 8)) return -EINVAL;
  writable[fd / 64] = 1ull << fd % 64;
  return cgr_syscall6(SYS_pselect6, fd + 1, 0, (long)writable, 0, (long)time, 0);
}

// Waits for room until `until_ns`. Returns 0 or an errno.
static int wait_for_room(const way *way, uint64_t until_ns) {
  for (;;) {
    uint64_t now = cgr_monotonic_ns(), left = now < until_ns ? until_ns - now : 0;
    struct timespec time = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
    struct pollfd entry = {.fd = way->fd, .events = POLLOUT};
    long result = cgr_syscall5(SYS_ppoll, &entry, 1, &time, NULL, 8);
    if (result == -EINVAL) result = wait_with_select(way->fd, &time);
    if (result == -EINTR && cgr_report_out_of_time) return ETIME;
    if (result == -EINTR && left > 0) continue;
    if (result == -EINTR) return EAGAIN;
    if (result < 0) return (int)-result;
    return result == 0 ? EAGAIN : 0;
  }
}

static long put(way *way, const char *bytes, size_t size) {
  if (!way->is_socket) return cgr_syscall3(SYS_write, way->fd, bytes, size < way->piece ? size : way->piece);
  long done = cgr_syscall6(SYS_sendto, way->fd, (long)bytes, (long)size, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
  if (done != -ENOSYS && done != -EPERM && done != -EACCES) return done;
  // A filter of system calls knows write only.
  way->is_socket = false;
  way->polls_first = true;
  way->piece = SMALL_PIECE;
  return -EAGAIN;
}

static int write_all(way *way, const char *bytes, size_t size, uint64_t until_ns) {
  for (int tries = 0; size > 0; ++tries) {
    if (tries == CGR_WRITE_TRIES_MAX) return EAGAIN;
    int error = way->polls_first ? wait_for_room(way, until_ns) : 0;
    if (error != 0) return error;
    long done = put(way, bytes, size);
    if (done == -EINTR && cgr_report_out_of_time) return ETIME;
    if (done == -EINTR) continue;
    if (done == -EAGAIN) {
      error = wait_for_room(way, until_ns);
      if (error != 0) return error;
      continue;
    }
    if (done <= 0) return done < 0 ? (int)-done : EIO;
    bytes += done;
    size -= (size_t)done;
    tries = 0;
  }
  return 0;
}

int cgr_write_bounded(int fd, const char *bytes, size_t size, uint64_t wait_ns) {
  // With SIGTTOU blocked a terminal takes what a process in the background writes, and does not stop it.
  cgr_write_signals held;
  way way;
  // What is open or blocked here must not stay so when the time for a crash report is up.
  ++cgr_guard_held;
  cgr_write_signals_hold(&held);
  int error = find_way(fd, &way);
  if (error == 0) {
    error = write_all(&way, bytes, size, cgr_monotonic_ns() + wait_ns);
    if (way.is_reopened) cgr_syscall1(SYS_close, way.fd);
  }
  cgr_write_signals_release(&held, error);
  --cgr_guard_held;
  return error;
}
