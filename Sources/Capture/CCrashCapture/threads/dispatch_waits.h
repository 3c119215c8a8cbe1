#pragma once
// The object inside libdispatch for which a thread waits.

#include <stdbool.h>

#include "threads/threads.h"

#pragma GCC visibility push(hidden)

typedef struct ck_futex {
  uint64_t word, operation, expected;
} ck_futex;

/// Fills `wait` if the thread waits for a queue or a group; `function` says what the function that waits is for.
/// Async-signal-safe: reads that cannot fault.
bool ck_dispatch_wait(int thread, const ck_futex *call, term_wait function, ck_wait *wait);

/// The DispatchSemaphore that has this semaphore of libc inside; 0 if none has. Async-signal-safe: reads that cannot
/// fault.
uint64_t ck_dispatch_semaphore(uint64_t semaphore);

#pragma GCC visibility pop
