#pragma once
// The lock functions for Swift code. In an optimised build they check nothing and know nothing.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the calling thread holds the lock at this address, in any mode. False if that is not known: before
/// ThreadGuard has started, and beyond 64 locks.
bool ctg_lock_is_held(const void *address);

/// Puts a lock that was just initialised (a pthread_mutex_t, pthread_rwlock_t or pthread_spinlock_t) into the class of
/// this name, which is copied: reports say the name, and orders are known between classes as well as between locks.
void ctg_name_lock(const void *lock, const char *name);

/// For C, and by name for programs that have ThreadGuard preloaded: ctg_name_lock.
__attribute__((visibility("default"))) void threadguard_name_lock(const void *lock, const char *name);

/// Whether the calling thread holds the lock at `address` (a pthread mutex, rwlock or spinlock, or a guarded lock):
/// 1 or 0, and -1 where locks are not watched.
int ctg_holds_lock(const void *address);

#pragma GCC visibility pop
