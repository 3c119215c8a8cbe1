#pragma once
// A lock for ThreadGuard's own work: it uses futex, so that none of it is interposed, and a fork never leaves it
// locked.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct ctg_own_lock {
  _Atomic uint32_t owner;    // thread id, 0 if it is free; the highest bit says that others wait
  _Atomic uint32_t process;  // of the owner: a child of fork finds locks that no thread will ever release
};

/// False if the calling thread has it already, as in a signal handler that came in the middle.
bool ctg_own_lock_take(struct ctg_own_lock *lock);
void ctg_own_lock_release(struct ctg_own_lock *lock);

/// Waits until no thread of this process has it, but no longer than so many milliseconds. It may be taken again at
/// once.
void ctg_own_lock_settle(struct ctg_own_lock *lock, int milliseconds);

#pragma GCC visibility pop
