#pragma once
// libc's own functions behind the interposed ones. You may use them from the first call on. Before the start they are
// libc's functions by their second names; after it, the next functions behind ThreadGuard's.

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
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

/// libdispatch's own function, or NULL if there is no libdispatch. `kept` keeps it.
void *ctg_real_dispatch(void *_Atomic *kept, const char *name);

/// The functions of Swift's Synchronization library, under the table's names. They are called as Swift calls them, with
/// `self` in a register of its own.
#define CTG_SWIFT_FUNCTION __attribute__((swiftcall))
#define CTG_SWIFT_SELF __attribute__((swift_context))
typedef CTG_SWIFT_FUNCTION void ctg_swift_mutex_lock_slow(uint32_t thread, CTG_SWIFT_SELF void *word);

/// Synchronization's own slow way to lock a Mutex. Looked up at the start, or later if the program loads it later.
ctg_swift_mutex_lock_slow *ctg_real_swift_mutex_lock_slow(void);

/// The next definition of a function after ours, looked up now.
void *ctg_real_next(const char *name);

#pragma GCC visibility pop
