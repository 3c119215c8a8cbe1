// The loader's own calls, and what they leave behind. Ordinary libc.

#include "CGround/look_up.h"

#include <dlfcn.h>

// The first call hands the error over, the second one frees it.
static void *checked(void *found) {
  if (!found && dlerror()) dlerror();
  return found;
}

void *cgr_look_up(void *library, const char *name) { return checked(dlsym(library, name)); }

void *cgr_look_up_version(const char *name, const char *version) {
  return checked(dlvsym(RTLD_DEFAULT, name, version));
}

void *cgr_open_library(const char *name, int flags) { return checked(dlopen(name, flags)); }
