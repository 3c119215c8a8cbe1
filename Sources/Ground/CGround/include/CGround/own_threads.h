#pragma once
// Marks the threads of this package, so that a report does not list them as the program's.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whose a thread is. Each part asks for its own threads alone: a program may have the other part in another image.
enum cgr_owner { CGR_OF_CRASHKIT = 1, CGR_OF_THREADGUARD = 2 };

/// Marks the calling thread, until cgr_own_thread_ends. Thread-safe.
void cgr_own_thread_begins(enum cgr_owner owner);

/// Takes the calling thread's mark away: its id may become another thread's.
void cgr_own_thread_ends(void);

/// Whether thread `tid` of this process was marked so. Async-signal-safe.
bool cgr_is_own_thread(enum cgr_owner owner, int tid);

#pragma GCC visibility pop
