// libc's own functions, found by dlsym. On its way it allocates nothing, and takes no lock that is interposed.

#include "ground/libc_functions.h"

#include <dlfcn.h>

#include "ground/real_functions.h"

void *ctg_real_next(const char *name) { return dlsym(RTLD_NEXT, name); }

void *ctg_real_dispatch(void *_Atomic *kept, const char *name) {
  void *found = *kept;
  if (found) return found;
  found = ctg_real_next(name);
  if (!found) {
    // One that was opened by dlopen for its caller alone comes after nobody.
    void *library = dlopen("libdispatch.so", RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = dlsym(library, name);
  }
  *kept = found;
  return found;
}

#define FIND(name, parameters, arguments) \
  ctg_real.name = (typeof(ctg_real.name))ctg_real_next("pthread_" #name);

// Stand in until the start: a program's, or its allocator's, first call may come before.
#define STAND_IN(name, parameters, arguments) \
  static int early_##name parameters {        \
    FIND(name, , )                            \
    return ctg_real.name arguments;           \
  }
CTG_ALL(STAND_IN)

#define MEMBER(name, parameters, arguments) .name = early_##name,
struct ctg_real ctg_real = {CTG_ALL(MEMBER)};

void ctg_real_prepare(void) { CTG_ALL(FIND) }
