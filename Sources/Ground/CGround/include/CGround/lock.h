#pragma once
// A lock that a signal handler may try to take. System calls only.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Zeroed: free.
typedef struct cgr_lock {
  _Atomic uint32_t state;  // 0: free, 1: taken, 2: taken, and a thread may be waiting
} cgr_lock;

/// Waits until it has the lock. Not for handlers: they may have interrupted the thread that holds it.
void cgr_lock_take(cgr_lock *lock);
/// Takes the lock if it is free. Async-signal-safe.
bool cgr_lock_try(cgr_lock *lock);
/// From the thread that took it. Async-signal-safe.
void cgr_lock_release(cgr_lock *lock);

#pragma GCC visibility pop
