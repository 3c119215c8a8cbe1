// Interposed exits.

#include "process_exits.h"

#include <stdatomic.h>
#include <stddef.h>

#include "real_functions.h"
#include "CGround/syscalls.h"

static void (*_Atomic observer)(bool);
static void (*_Atomic end_observer)(int, bool);

void cph_observe_exits(void (*about_to_exit)(bool)) { atomic_store(&observer, about_to_exit); }

void cph_observe_ends(void (*ends)(int, bool)) { atomic_store(&end_observer, ends); }

void cph_real_exit_now(int status) {
  // Barred or not.
  for (;;) cgr_kernel_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void notify(int status, bool at_once, bool runs_more) {
  void (*about_to_exit)(bool) = atomic_load_explicit(&observer, memory_order_acquire);
  if (about_to_exit) about_to_exit(runs_more);
  void (*ends)(int, bool) = atomic_load_explicit(&end_observer, memory_order_acquire);
  if (ends) ends(status, at_once);
}

#define EXPORT __attribute__((visibility("default"), noreturn))

EXPORT void exit(int status) {
  notify(status, false, true);
  cph_real_functions_find();
  cph_real_exit(status);
}

EXPORT void quick_exit(int status) {
  notify(status, true, true);
  cph_real_functions_find();
  cph_real_quick_exit(status);
}

EXPORT void _exit(int status) {
  notify(status, true, cph_has_sanitizer);
  if (cph_real__exit) cph_real__exit(status);
  cph_real_exit_now(status);
}

EXPORT void _Exit(int status) {
  notify(status, true, cph_has_sanitizer);
  if (cph_real__Exit) cph_real__Exit(status);
  cph_real_exit_now(status);
}
