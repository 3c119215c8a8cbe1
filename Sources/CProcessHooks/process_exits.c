// Interposed exits.

#include "process_exits.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*_Atomic observer)(int);

void cph_observe_exits(void (*about_to_exit)(int)) { atomic_store(&observer, about_to_exit); }

void cph_real_exit_now(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

static void notify(int status) {
  void (*about_to_exit)(int) = atomic_load_explicit(&observer, memory_order_acquire);
  if (about_to_exit) about_to_exit(status);
}

typedef void exit_function(int) __attribute__((noreturn));

#define EXPORT __attribute__((visibility("default"), noreturn))

EXPORT void exit(int status) {
  notify(status);
  exit_function *real = (exit_function *)dlsym(RTLD_NEXT, "exit");
  real(status);
}

EXPORT void quick_exit(int status) {
  notify(status);
  exit_function *real = (exit_function *)dlsym(RTLD_NEXT, "quick_exit");
  real(status);
}

EXPORT void _exit(int status) {
  notify(status);
  cph_real_exit_now(status);
}

EXPORT void _Exit(int status) {
  notify(status);
  cph_real_exit_now(status);
}
