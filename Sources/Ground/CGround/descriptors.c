// Descriptors. System calls only.

#include "CGround/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "CGround/bounded_write.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CGround/unjumped.h"

static cgr_held_descriptor standard_error = {-1, 0, 0};

static bool identity(int fd, uint64_t *device, uint64_t *inode) {
  struct stat status;
  long result = cgr_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH);
  *device = (uint64_t)status.st_dev;
  *inode = (uint64_t)status.st_ino;
  return result == 0;
}

void cgr_hold(cgr_held_descriptor *held, int fd) {
  held->fd = fd;
  if (fd >= 0 && !identity(fd, &held->device, &held->inode)) held->fd = -1;
}

// A program may have closed our descriptor and opened its own under the same number.
bool cgr_still_ours(const cgr_held_descriptor *held) {
  uint64_t device, inode;
  return held->fd >= 0 && identity(held->fd, &device, &inode) && device == held->device && inode == held->inode;
}

// A program may count on the lowest numbers: those of the standard streams above all, where it was started without.
int cgr_out_of_the_way(int fd) {
  static const int first_choices[] = {200, 40, 3};
  for (size_t i = 0; i < sizeof first_choices / sizeof *first_choices; ++i) {
    long copy = cgr_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_choices[i]);
    if (copy >= 0) return (int)copy;
  }
  return -1;
}

void cgr_standard_error_prepare(void) { cgr_hold(&standard_error, 2); }

// What the program has put in the place of its standard error since may be its data. A log that lines are appended to,
// or a terminal, is not.
bool cgr_may_write_to_stderr(void) {
  if (cgr_still_ours(&standard_error)) return true;
  struct stat status;
  if (cgr_syscall4(SYS_newfstatat, 2, "", &status, AT_EMPTY_PATH) != 0) return false;
  long flags = cgr_syscall3(SYS_fcntl, 2, F_GETFL, 0);
  return S_ISCHR(status.st_mode) || (S_ISREG(status.st_mode) && flags >= 0 && flags & O_APPEND);
}

int cgr_write_all(int fd, const char *bytes, size_t size) {
  for (int tries = 0; size > 0; ++tries) {
    if (tries == CGR_WRITE_TRIES_MAX) return EINTR;
    long done = cgr_syscall3(SYS_write, fd, bytes, size);
    if (done == -EINTR && cgr_report_out_of_time) return ETIME;
    if (done == -EINTR) continue;
    if (done <= 0) return done < 0 ? (int)-done : EIO;
    bytes += done;
    size -= (size_t)done;
    tries = 0;
  }
  return 0;
}

// Set once a reader took too long. Until a message passes again, none waits: a standard error that nobody reads costs
// the program one wait.
static _Atomic bool stands_still;

int cgr_write_stderr(const char *bytes, size_t size, uint64_t wait_ns) {
  if (!cgr_may_write_to_stderr()) return EBADF;
  int error = cgr_write_bounded(2, bytes, size, atomic_load(&stands_still) ? 0 : wait_ns);
  if (error == 0 || error == EAGAIN) atomic_store(&stands_still, error == EAGAIN);
  return error;
}

// Messages that were dropped since the last one that passed.
static _Atomic uint32_t dropped;

static bool was_dropped(int error) { return error == EAGAIN || error == ETIME; }

static int report_dropped(const char *part, uint32_t count) {
  char bytes[160];
  cgr_text text = CGR_TEXT(bytes);
  cgr_text_string(&text, part);
  cgr_text_string(&text, "[");
  cgr_text_unsigned(&text, (uint64_t)cgr_process_id());
  cgr_text_string(&text, "]: ");
  cgr_text_unsigned(&text, count);
  cgr_text_string(&text, count == 1 ? " message was" : " messages were");
  cgr_text_string(&text, " dropped: standard error was full\n");
  return cgr_write_stderr(text.bytes, text.size, 0);
}

int cgr_print(const char *part, const char *bytes, size_t size) {
  uint32_t earlier = atomic_exchange(&dropped, 0);
  int error = earlier > 0 ? report_dropped(part, earlier) : 0;
  if (was_dropped(error)) {
    atomic_fetch_add(&dropped, earlier + 1);
    return error;
  }
  error = cgr_write_stderr(bytes, size, CGR_MESSAGE_WAIT_NS);
  if (was_dropped(error)) atomic_fetch_add(&dropped, 1);
  return error;
}
