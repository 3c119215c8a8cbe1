// What came with glibc 2.32 to 2.35, or moved to another library then, for the preload libraries: they load with glibc
// 2.31 too. Each function here has glibc's name and is hidden, so the linker binds a library's own calls to it. It
// calls glibc's function, found by dlsym as the library is loaded. If glibc lacks that function, it manages without.
//
// In a handler: _dl_find_object, fstat, fstatat, lstat and pthread_getcpuclockid.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "CGround/look_up.h"
#include "CGround/syscalls.h"

#define HIDDEN __attribute__((visibility("hidden")))

static typeof(_dl_find_object) *find_object;
static typeof(pthread_attr_getsigmask_np) *get_mask;
static typeof(pthread_getcpuclockid) *find_clock;
static typeof(strerrordesc_np) *describe;
// glibc before 2.32 has a table instead, which cannot be linked to any more.
static const char *const *descriptions;
static const int *count;

// Before what else the library does as it is loaded.
__attribute__((constructor(101))) static void look_up(void) {
  find_object = (typeof(find_object))cgr_look_up(RTLD_DEFAULT, "_dl_find_object");
  get_mask = (typeof(get_mask))cgr_look_up(RTLD_DEFAULT, "pthread_attr_getsigmask_np");
  find_clock = (typeof(find_clock))cgr_look_up(RTLD_DEFAULT, "pthread_getcpuclockid");
  describe = (typeof(describe))cgr_look_up(RTLD_DEFAULT, "strerrordesc_np");
  if (describe) return;
  descriptions = (typeof(descriptions))cgr_look_up(RTLD_DEFAULT, "sys_errlist");
  count = (const int *)cgr_look_up(RTLD_DEFAULT, "sys_nerr");
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *result) {
  return find_object ? find_object(address, result) : -1;
}

// A glibc that cannot say which mask a thread shall start with cannot be given one either.
HIDDEN int pthread_attr_getsigmask_np(const pthread_attr_t *attributes, sigset_t *mask) {
  return get_mask ? get_mask(attributes, mask) : PTHREAD_ATTR_NO_SIGMASK_NP;
}

// Until 2.34 it was in libpthread, where each glibc has it.
HIDDEN int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
  return find_clock ? find_clock(thread, clock) : ESRCH;
}

HIDDEN const char *strerrordesc_np(int error) {
  if (describe) return describe(error);
  return descriptions && count && error >= 0 && error < *count ? descriptions[error] : NULL;
}

// As libc's functions do.
static int result_or_errno(long result) {
  if (result >= 0) return (int)result;
  errno = (int)-result;
  return -1;
}

// The kernel's structure is that of libc. Before 2.33 these were inline functions of the headers.
HIDDEN int fstatat(int folder, const char *restrict path, struct stat *restrict status, int flags) {
  return result_or_errno(cgr_syscall4(SYS_newfstatat, folder, path, status, flags));
}

HIDDEN int fstat(int file, struct stat *status) { return result_or_errno(cgr_syscall2(SYS_fstat, file, status)); }

HIDDEN int lstat(const char *restrict path, struct stat *restrict status) {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
