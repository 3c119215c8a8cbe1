#pragma once
// The real cause behind "Recursive call to lock Mutex". The Swift runtime prints this for every wait for a Mutex that
// would never end.

#include "CReportTerms.h"
#include "threads/fault.h"
#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Whether the program stopped since a thread would have waited for a Mutex for ever. Async-signal-safe.
bool ck_is_mutex_trap(const cgr_text *message);

typedef struct ck_refused_mutex {
  uint64_t word;  // its address
  int owner;      // a thread of this process; 0 if the runtime left no such word
} ck_refused_mutex;

/// The Mutex that the thread would have waited for. A word of the innermost frames is taken for it if it names a thread
/// of this process. Async-signal-safe: system calls only.
ck_refused_mutex ck_find_refused_mutex(const ck_fault *fault);

/// The cause, by the thread that holds the Mutex, or 0. Async-signal-safe.
term_cause ck_mutex_cause(int owner);

#pragma GCC visibility pop
