#pragma once
// What the lock checks know of a lock, for rules that are stated in Swift.

#pragma GCC visibility push(hidden)

/// Whether the calling thread holds the lock at `address` (a pthread mutex, rwlock or spinlock, or a guarded lock):
/// 1 or 0, and -1 where locks are not watched.
int ctg_holds_lock(const void *address);

#pragma GCC visibility pop
