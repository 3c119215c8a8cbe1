// libc's own signal functions, found by dlsym.

#include "real_signal_functions.h"

#include <dlfcn.h>

int (*cph_real_sigaction)(int, const struct sigaction *, struct sigaction *);
cph_mask_function *cph_real_sigprocmask, *cph_real_pthread_sigmask;

void cph_real_signal_functions_find(void) {
  if (cph_real_sigaction) return;
  cph_real_pthread_sigmask = (cph_mask_function *)dlsym(RTLD_NEXT, "pthread_sigmask");
  cph_real_sigprocmask = (cph_mask_function *)dlsym(RTLD_NEXT, "sigprocmask");
  cph_real_sigaction = (typeof(cph_real_sigaction))dlsym(RTLD_NEXT, "sigaction");
}
