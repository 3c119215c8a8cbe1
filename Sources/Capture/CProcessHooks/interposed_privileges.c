// Interposed setuid and its family, setfsuid and setfsgid among them. The observer makes system calls only, so that the
// functions stay async-signal-safe.

#include "process_privileges.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "real_functions.h"
#include "CGround/syscalls.h"

#define EXPORT __attribute__((visibility("default")))

static void (*_Atomic observer)(void);

void cph_observe_privileges(void (*about_to_change)(void)) { atomic_store(&observer, about_to_change); }

// `id` is the user or group to be; -1 leaves it as it is.
static void notify(unsigned id, unsigned current) {
  void (*about_to_change)(void) = atomic_load_explicit(&observer, memory_order_acquire);
  if (about_to_change && id != (unsigned)-1 && id != current) about_to_change();
}

static void notify_user(uid_t user) {
  cph_real_functions_find();
  notify(user, (unsigned)cgr_syscall0(SYS_geteuid));
}

// For files the kernel asks for these alone. The call for -1 changes nothing and returns the present one.
static void notify_files(long call, unsigned id) {
  cph_real_functions_find();
  notify(id, (unsigned)cgr_syscall1(call, -1));
}

EXPORT int setuid(uid_t user) {
  notify_user(user);
  return cph_real_setuid(user);
}
EXPORT int seteuid(uid_t user) {
  notify_user(user);
  return cph_real_seteuid(user);
}
EXPORT int setreuid(uid_t real, uid_t effective) {
  notify_user(effective);
  return cph_real_setreuid(real, effective);
}
EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) {
  notify_user(effective);
  return cph_real_setresuid(real, effective, saved);
}
EXPORT int setfsuid(uid_t user) {
  notify_files(SYS_setfsuid, user);
  return cph_real_setfsuid(user);
}
EXPORT int setfsgid(gid_t group) {
  notify_files(SYS_setfsgid, group);
  return cph_real_setfsgid(group);
}
