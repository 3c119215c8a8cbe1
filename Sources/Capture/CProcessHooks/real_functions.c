// libc's own functions, found by dlsym.

#include "real_functions.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

#define FORWARDED(type, name) type *cph_real_##name;
#include "interposed_by_crashkit.def"

static _Atomic bool are_found;

int (*cph_own_sigaction)(int, const struct sigaction *, struct sigaction *);

static typeof(sigaction) *past_sanitizer(void) {
  void *libc = dlsym(RTLD_DEFAULT, "__tsan_init") ? dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) : NULL;
  return libc ? (typeof(sigaction) *)dlsym(libc, "sigaction") : NULL;
}

bool cph_has_sanitizer;

static void find(void) {
#define FORWARDED(type, name) cph_real_##name = (typeof(cph_real_##name))dlsym(RTLD_NEXT, #name);
#include "interposed_by_crashkit.def"
  typeof(sigaction) *found = past_sanitizer();
  cph_own_sigaction = found ? found : cph_real_sigaction;
  // All sanitizers of clang and gcc have it.
  cph_has_sanitizer = dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback") != NULL;
}

__attribute__((constructor)) void cph_real_functions_find(void) {
  if (__builtin_expect(atomic_load_explicit(&are_found, memory_order_acquire), 1)) return;
  find();
  atomic_store_explicit(&are_found, true, memory_order_release);
}
