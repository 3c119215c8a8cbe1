// libc's own functions, found by dlsym. A program's allocator may call an interposed function within its first malloc,
// as it starts itself. So cph_real_functions_find looks up no name that is not there: dlsym allocates the text of its
// error, and that malloc would wait for the first one. Nor does it open a library: before the loader has begun libc,
// dlopen begins it without an environment, and libraries that read theirs as they begin end the process.

#include "real_functions.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "CGround/barred_calls.h"
#include "CGround/look_up.h"

#define FORWARDED(type, name) type *cph_real_##name;
#include "interposed_by_crashkit.def"

static _Atomic bool are_found;

static typeof(sigaction) *own_sigaction;

int cph_own_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  return cgr_call_is_barred(SYS_rt_sigaction) ? -1 : own_sigaction(signal, action, old);
}

// Sanitizers' own, of the program or of a library that it needs. Not declared hidden, as in look_away.c.
extern void __tsan_init(void) __attribute__((weak));
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

// By libc's second name for it, which no sanitizer has.
static typeof(sigaction) *past_sanitizer(void) {
  return __tsan_init ? (typeof(sigaction) *)cgr_look_up(RTLD_NEXT, "__sigaction") : NULL;
}

bool cph_has_sanitizer;

// The second number of glibc's version 2.N.
static int libcs_minor(void) {
  int minor = 0;
  for (const char *digit = gnu_get_libc_version() + 2; *digit >= '0' && *digit <= '9'; ++digit)
    minor = minor * 10 + (*digit - '0');
  return minor;
}

static void find(void) {
  int minor = libcs_minor();
#define FORWARDED(type, name) cph_real_##name = (typeof(cph_real_##name))cgr_look_up(RTLD_NEXT, #name);
#define NEWER(since, type, name) \
  if (minor >= since) FORWARDED(type, name)
#include "interposed_by_crashkit.def"
  typeof(sigaction) *found = past_sanitizer();
  own_sigaction = found ? found : cph_real_sigaction;
  // All sanitizers of clang and gcc have it.
  cph_has_sanitizer = __sanitizer_set_death_callback != NULL;
}

void cph_real_functions_find(void) {
  if (__builtin_expect(atomic_load_explicit(&are_found, memory_order_acquire), 1)) return;
  find();
  atomic_store_explicit(&are_found, true, memory_order_release);
}

// A linker may have settled the weak names without the libraries that are preloaded.
__attribute__((constructor)) static void look_for_sanitizer(void) {
  cph_real_functions_find();
  cph_has_sanitizer = cph_has_sanitizer || cgr_look_up(RTLD_DEFAULT, "__sanitizer_set_death_callback");
}
