// Opening files, in a process that may have no descriptor left. System calls only.

#include "CGround/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "CGround/descriptors.h"
#include "CGround/syscalls.h"

// A thread that does not stop may take what was free, and give it back, again and again.
#define TRIES 64

bool cgr_open_makes_room;
static cgr_held_descriptor reserve = {-1, 0, 0};
static _Atomic bool reserve_is_used;
// Set once no try helped: each further open is tried once.
static _Atomic bool is_in_vain;

void cgr_open_prepare(int fd) {
  // A low number, which a limit that is lowered later still allows to be used again.
  cgr_hold(&reserve, fd < 0 ? -1 : (int)cgr_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3));
  atomic_store(&reserve_is_used, false);
  atomic_store(&is_in_vain, false);
}

static bool raise_limit(void) {
  struct rlimit limit;
  if (cgr_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) != 0) return false;
  if (limit.rlim_cur >= limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return cgr_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL) == 0;
}

static void make_room(void) {
  if (raise_limit() || atomic_exchange(&reserve_is_used, true)) return;
  if (cgr_still_ours(&reserve)) cgr_syscall1(SYS_close, reserve.fd);
}

long cgr_open(int folder, const char *path, int flags, int mode) {
  long fd = cgr_syscall4(SYS_openat, folder, path, flags, mode);
  if (fd != -EMFILE || !cgr_open_makes_room || atomic_load(&is_in_vain)) return fd;
  for (int tries = 0; fd == -EMFILE && tries < TRIES; ++tries) {
    make_room();
    fd = cgr_syscall4(SYS_openat, folder, path, flags, mode);
  }
  if (fd == -EMFILE) atomic_store(&is_in_vain, true);
  return fd;
}

long cgr_create_private(int folder, const char *path, int flags) {
  const mode_t mode = 0600;
  long fd = cgr_open(folder, path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  struct stat status;
  bool is_cut = fd >= 0 && cgr_syscall2(SYS_fstat, fd, &status) == 0 && (status.st_mode & mode) != mode;
  if (is_cut) cgr_syscall2(SYS_fchmod, fd, mode);
  return fd;
}
