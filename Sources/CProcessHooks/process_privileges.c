// Interposed setuid and its family. The observer makes system calls only, so that the functions stay async-signal-safe.

#include "process_privileges.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "CGround/syscalls.h"

#define EXPORT __attribute__((visibility("default")))

#define FUNCTIONS(each) each(setuid) each(seteuid) each(setreuid) each(setresuid)

#define DECLARE(name) static typeof(name) *real_##name;
FUNCTIONS(DECLARE)

// Early: a child of fork, where any thread may have held the loader's lock, is not to ask the loader.
__attribute__((constructor)) static void resolve(void) {
  if (real_setuid) return;
#define RESOLVE(name) real_##name = (typeof(name) *)dlsym(RTLD_NEXT, #name);
  FUNCTIONS(RESOLVE)
}

static void (*_Atomic observer)(void);

void cph_observe_privileges(void (*about_to_change)(void)) { atomic_store(&observer, about_to_change); }

// `user` is the effective one to be; -1 leaves it as it is.
static void notify(uid_t user) {
  resolve();
  void (*about_to_change)(void) = atomic_load_explicit(&observer, memory_order_acquire);
  if (!about_to_change || user == (uid_t)-1 || user == (uid_t)ck_syscall0(SYS_geteuid)) return;
  about_to_change();
}

EXPORT int setuid(uid_t user) {
  notify(user);
  return real_setuid(user);
}
EXPORT int seteuid(uid_t user) {
  notify(user);
  return real_seteuid(user);
}
EXPORT int setreuid(uid_t real, uid_t effective) {
  notify(effective);
  return real_setreuid(real, effective);
}
EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) {
  notify(effective);
  return real_setresuid(real, effective, saved);
}
