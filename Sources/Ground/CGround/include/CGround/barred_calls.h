#pragma once
// System calls that a filter of the program (seccomp) answers with the death of the process or the thread, or with a
// question to another process. This package does not make them: cgr_syscall6 returns -EPERM instead,
// as it would from a filter that refuses. The death of one thread could otherwise leave the process alive after a
// crash, and a call that the program never makes could end a sound program.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "CGround/unjumped.h"

#pragma GCC visibility push(hidden)

/// Linux has no call with a higher number on the processors that CrashKit knows (uapi/asm-generic/unistd.h).
#define CGR_CALLS 512

/// A set of system calls: bit n % 64 of word n / 64 is call n.
typedef struct cgr_call_set {
  uint64_t words[CGR_CALLS / 64];
} cgr_call_set;

/// `number` is below CGR_CALLS. Async-signal-safe.
static inline bool cgr_call_set_has(const cgr_call_set *set, long number) {
  return set->words[number / 64] >> number % 64 & 1;
}
static inline void cgr_call_set_add(cgr_call_set *set, long number) { set->words[number / 64] |= 1ull << number % 64; }
static inline void cgr_call_set_remove(cgr_call_set *set, long number) {
  set->words[number / 64] &= ~(1ull << number % 64);
}

/// Which threads have a filter that is known.
typedef enum cgr_filtered {
  CGR_FILTERS_NOBODY,
  CGR_FILTERS_SOME_THREADS,  // all but those that have set cgr_thread_is_unfiltered
  CGR_FILTERS_ALL_THREADS,
} cgr_filtered;

/// A cgr_filtered. A fork inherits it.
extern _Atomic int cgr_filtered_threads;

/// Whether the calling thread is known to have no filter: it has set none, and neither has the thread that created it.
/// libc creates some threads by itself, of which nothing is known.
extern CGR_OF_THREAD volatile bool cgr_thread_is_unfiltered;

/// What one filter has added, to be taken back if the kernel refuses the filter.
typedef struct cgr_barred_calls {
  cgr_call_set added;
  int reach_before;
  bool unfiltered_before;
} cgr_barred_calls;

/// Bars calls for the calling thread and those that it creates, and, if `all_threads`, for every other one: before the
/// filter is set, since a signal may come at once. Any thread; async-signal-safe.
cgr_barred_calls cgr_calls_bar(const cgr_call_set *calls, bool all_threads);

/// Takes that back. Async-signal-safe.
void cgr_calls_open_again(const cgr_barred_calls *barred);

/// Whether a system call is barred to the calling thread. Reads a thread-local word only after a filter of some
/// threads. Async-signal-safe.
bool cgr_call_is_barred(long number);

#pragma GCC visibility pop
