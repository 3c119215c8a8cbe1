#pragma once
// libc's own functions behind the interposed ones. Usable from the first call on: before the start they are libc's own
// by their second names, then whatever comes next after us.

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#pragma GCC visibility push(hidden)

struct ctg_real {
#define MEMBER(name, parameters, arguments) typeof(pthread_##name) *name;
#define TAKES MEMBER
#define GIVES MEMBER
#define OTHER MEMBER
#define SEMAPHORE(name, parameters, arguments) typeof(name) *name;
#include "interposed_by_threadguard.def"
#undef MEMBER
};
extern struct ctg_real ctg_real;

/// Looks all of them up, once, at the start.
void ctg_real_prepare(void);

/// libdispatch's own function, or NULL where there is no libdispatch. `kept` keeps it.
void *ctg_real_dispatch(void *_Atomic *kept, const char *name);

/// The next definition of a function after ours, looked up now.
void *ctg_real_next(const char *name);

#pragma GCC visibility pop
