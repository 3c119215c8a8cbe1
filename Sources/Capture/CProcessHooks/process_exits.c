// Interposed exits.

#include "process_exits.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "CGround/syscalls.h"

static void (*_Atomic observer)(int);
static void (*_Atomic end_observer)(int, bool);

typedef void exit_function(int) __attribute__((noreturn));
static exit_function *real_exit, *real_quick_exit;
// A sanitizer has its own, which reports what it found and changes the status.
static exit_function *next_exit_now, *next_Exit;

// Early: a child of fork, where any thread may have held the loader's lock, is not to ask the loader.
__attribute__((constructor)) static void resolve(void) {
  next_exit_now = (exit_function *)dlsym(RTLD_NEXT, "_exit");
  next_Exit = (exit_function *)dlsym(RTLD_NEXT, "_Exit");
}

void cph_observe_exits(void (*about_to_exit)(int)) {
  // Not when it is needed: a handler may end the process while another thread holds the loader's lock.
  real_exit = (exit_function *)dlsym(RTLD_NEXT, "exit");
  real_quick_exit = (exit_function *)dlsym(RTLD_NEXT, "quick_exit");
  atomic_store(&observer, about_to_exit);
}

void cph_observe_ends(void (*ends)(int, bool)) { atomic_store(&end_observer, ends); }

void cph_real_exit_now(int status) {
  for (;;) cgr_syscall1(SYS_exit_group, status);
}

static void notify(int status, bool at_once) {
  void (*about_to_exit)(int) = atomic_load_explicit(&observer, memory_order_acquire);
  if (about_to_exit) about_to_exit(status);
  void (*ends)(int, bool) = atomic_load_explicit(&end_observer, memory_order_acquire);
  if (ends) ends(status, at_once);
}

#define EXPORT __attribute__((visibility("default"), noreturn))

EXPORT void exit(int status) {
  notify(status, false);
  exit_function *real = real_exit ? real_exit : (exit_function *)dlsym(RTLD_NEXT, "exit");
  real(status);
}

EXPORT void quick_exit(int status) {
  notify(status, true);
  exit_function *real = real_quick_exit ? real_quick_exit : (exit_function *)dlsym(RTLD_NEXT, "quick_exit");
  real(status);
}

EXPORT void _exit(int status) {
  notify(status, true);
  if (next_exit_now) next_exit_now(status);
  cph_real_exit_now(status);
}

EXPORT void _Exit(int status) {
  notify(status, true);
  if (next_Exit) next_Exit(status);
  cph_real_exit_now(status);
}
