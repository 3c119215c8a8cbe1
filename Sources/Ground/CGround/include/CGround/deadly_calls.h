#pragma once
// System calls for which a filter of the program (seccomp) kills the process or the thread. This package does not make
// them: cgr_syscall6 returns -EPERM instead, as it would from a filter that refuses. The death of one thread could
// otherwise leave the process alive after a crash, and a call that the program never makes could end a sound program.

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

/// Which threads a filter may kill.
typedef enum cgr_filtered {
  CGR_FILTERS_NOBODY,
  CGR_FILTERS_SOME_THREADS,  // those that have set cgr_thread_is_filtered
  CGR_FILTERS_ALL_THREADS,
} cgr_filtered;

/// A cgr_filtered. It only grows; a fork inherits it.
extern _Atomic int cgr_filtered_threads;

/// Whether a filter of the calling thread, or of the thread that created it, is known.
extern CGR_OF_THREAD volatile bool cgr_thread_is_filtered;

/// Adds calls for which a filter kills the calling thread, and, if `all_threads`, every other one. Any thread;
/// async-signal-safe.
void cgr_deadly_calls_add(const cgr_call_set *calls, bool all_threads);

/// Whether a known filter kills the calling thread for that system call. Reads a thread-local word only after a filter
/// of some threads. Async-signal-safe.
bool cgr_call_is_deadly(long number);

#pragma GCC visibility pop
