#pragma once
// What checked locks of Swift need. In an optimised build nothing is checked, and these do nothing.

#include <stdbool.h>

/// Whether the calling thread holds the lock at this address, in any mode. False where that is not known: before
/// ThreadGuard has started, and beyond 64 locks.
bool ctg_lock_is_held(const void *address);

/// Puts a lock that was just initialised (a pthread_mutex_t, pthread_rwlock_t or pthread_spinlock_t) into the class of
/// this name, which is copied: reports say the name, and orders are known between classes as well as between locks.
void ctg_name_lock(const void *lock, const char *name);

/// dispatch_sync_f, seen by ThreadGuard also where libdispatch is linked statically.
void ctg_guarded_sync(void *queue, void *context, void (*work)(void *context));

/// For C, and by name for programs that have ThreadGuard preloaded: ctg_name_lock.
__attribute__((visibility("default"))) void threadguard_name_lock(const void *lock, const char *name);
