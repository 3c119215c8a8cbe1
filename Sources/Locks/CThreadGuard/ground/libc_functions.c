// libc's own functions, found by dlsym. On its way it allocates nothing, and takes no lock that is interposed.

#include "ground/libc_functions.h"

#include <dlfcn.h>

#include "CGround/look_up.h"

void *ctg_real_next(const char *name) { return cgr_look_up(RTLD_NEXT, name); }

static void *find_in(const char *path, void *_Atomic *kept, const char *name) {
  void *found = *kept;
  if (found) return found;
  found = ctg_real_next(name);
  if (!found) {
    // RTLD_NEXT does not find one that dlopen opened for its caller alone.
    void *library = cgr_open_library(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = cgr_look_up(library, name);
  }
  *kept = found;
  return found;
}

void *ctg_real_dispatch(void *_Atomic *kept, const char *name) { return find_in("libdispatch.so", kept, name); }

#define SYNCHRONIZATION(name, symbol)                                          \
  ctg_##name *ctg_real_##name(void) {                                          \
    static void *_Atomic kept;                                                 \
    return (ctg_##name *)find_in("libswiftSynchronization.so", &kept, symbol); \
  }
#include "interposed_by_threadguard.def"

#define FIND(name, symbol) ctg_real.name = (typeof(ctg_real.name))ctg_real_next(symbol);

// Stand in until the start: a program's, or its allocator's, first call may come before.
#define STAND_IN(name, symbol, parameters, arguments) \
  static int early_##name parameters {                \
    FIND(name, symbol)                                \
    return ctg_real.name arguments;                   \
  }
#define EARLY(name, parameters, arguments) STAND_IN(name, "pthread_" #name, parameters, arguments)
#define TAKES EARLY
#define GIVES EARLY
#define OTHER EARLY
#define SEMAPHORE(name, parameters, arguments) STAND_IN(name, #name, parameters, arguments)
#include "interposed_by_threadguard.def"

#define MEMBER(name, parameters, arguments) .name = early_##name,
struct ctg_real ctg_real = {
#define TAKES MEMBER
#define GIVES MEMBER
#define OTHER MEMBER
#define SEMAPHORE MEMBER
#include "interposed_by_threadguard.def"
};

void ctg_real_prepare(void) {
#define FIND_PTHREAD(name, parameters, arguments) FIND(name, "pthread_" #name)
#define TAKES FIND_PTHREAD
#define GIVES FIND_PTHREAD
#define OTHER FIND_PTHREAD
#define SEMAPHORE(name, parameters, arguments) FIND(name, #name)
#define SYNCHRONIZATION(name, symbol) ctg_real_##name();
#include "interposed_by_threadguard.def"
}
