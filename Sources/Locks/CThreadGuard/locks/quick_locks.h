#pragma once
// Takes and releases glibc's locks by ThreadGuard's own instructions if no other thread wants them. These do exactly
// the same as its functions (nptl/pthread_mutex_lock.c, pthread_rwlock_common.c), but without their calls. This saves
// the time that ThreadGuard needs for its own work. If a single step is not enough, the function changes nothing and
// returns false, and glibc does the work.
//
// The members of these structures are part of glibc's ABI, since initialisers are compiled into programs.
// ctg_quick_locks_prepare checks the meaning of their values when the process starts.

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Says that locks may be taken so, where glibc is of a version whose locks are known, a lock that it takes looks as
/// expected, and no other library replaces its functions. Until then CTG_SLOW_LOCKS_ARE_UNKNOWN is set. Called once, at
/// the start.
void ctg_quick_locks_prepare(void);

// --- Mutexes -------------------------------------------------------------------------------------------------------

#define CTG_MUTEX_FREE 0
#define CTG_MUTEX_TAKEN 1
#define CTG_MUTEX_WANTED 2  // taken, and another thread waits

/// Wakes one of those who wait for a plain mutex.
void ctg_mutex_wake_one(pthread_mutex_t *mutex);

/// Whether it is of the default kind: not recursive nor checking, of this process, not robust, without priorities.
static inline bool ctg_mutex_is_plain(const pthread_mutex_t *mutex) {
  // PTHREAD_MUTEX_NORMAL, if it was asked for by name, adds a bit that keeps it from being elided.
  const int is_not_elided = 512;
  return (__atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & ~is_not_elided) == 0;
}

typedef uint64_t __attribute__((may_alias)) ctg_two_words;

static inline ctg_two_words *ctg_mutex_users(pthread_mutex_t *mutex) {
  _Static_assert(offsetof(pthread_mutex_t, __data.__owner) % 8 == 0, "they are one word");
  _Static_assert(offsetof(pthread_mutex_t, __data.__nusers) == offsetof(pthread_mutex_t, __data.__owner) + 4, "");
  return (ctg_two_words *)&mutex->__data.__owner;
}

/// Takes a plain mutex that is free, for the thread of which `user` is made.
static inline bool ctg_mutex_quick_lock(pthread_mutex_t *mutex, uint64_t user) {
  int found = CTG_MUTEX_FREE;
  if (__builtin_expect(!__atomic_compare_exchange_n(&mutex->__data.__lock, &found, CTG_MUTEX_TAKEN, false,
                                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED),
                       0))
    return false;
  // The lock had no owner. The write is atomic, since other threads read the owner. It is relaxed, since each of them
  // only looks for its own id.
  ctg_two_words *users = ctg_mutex_users(mutex);
  __atomic_store_n(users, __atomic_load_n(users, __ATOMIC_RELAXED) + user, __ATOMIC_RELAXED);
  return true;
}

/// Gives back a plain mutex that this thread has.
static inline void ctg_mutex_quick_unlock(pthread_mutex_t *mutex, uint64_t user) {
  ctg_two_words *users = ctg_mutex_users(mutex);
  // Others may wait for a condition with it; and a child of fork has another id since.
  uint64_t now = __atomic_load_n(users, __ATOMIC_RELAXED);
  // Release: who sees that the thread is not the owner sees that its stack of locks is without the mutex.
  __atomic_store_n(users, __builtin_expect(now == user, 1) ? 0 : ((now >> 32) - 1) << 32, __ATOMIC_RELEASE);
  int found = __atomic_exchange_n(&mutex->__data.__lock, CTG_MUTEX_FREE, __ATOMIC_RELEASE);
  // The thread that took the mutex since may have destroyed it.
  if (__builtin_expect(found == CTG_MUTEX_WANTED, 0)) ctg_mutex_wake_one(mutex);
}

// --- Read-write locks ----------------------------------------------------------------------------------------------

#define CTG_RWLOCK_WRITING 1u  // the phase: it is that of a writer
#define CTG_RWLOCK_WRITER 2u   // a writer has it, or will
#define CTG_RWLOCK_READERS_WAIT 4u
#define CTG_RWLOCK_READER 8u  // from here on the number of readers
#define CTG_RWLOCK_STATES (CTG_RWLOCK_WRITING | CTG_RWLOCK_WRITER | CTG_RWLOCK_READERS_WAIT)
// What glibc answers to too many (1u << 31 and more) is its own affair.
#define CTG_RWLOCK_MANY (1u << 30)
#define CTG_RWLOCK_BELOW_ZERO (1u << 31)

/// Whether it is of this process, and for readers first.
static inline bool ctg_rwlock_is_plain(const pthread_rwlock_t *lock) {
  return (lock->__data.__flags | (unsigned)lock->__data.__shared) == 0;
}

/// Adds a reader while only readers have the lock, or it is free.
static inline bool ctg_rwlock_quick_read(pthread_rwlock_t *lock) {
  unsigned readers = __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED);
  if (__builtin_expect(readers & (CTG_RWLOCK_STATES | CTG_RWLOCK_MANY), 0)) return false;
  return __builtin_expect(__atomic_compare_exchange_n(&lock->__data.__readers, &readers, readers + CTG_RWLOCK_READER,
                                                      false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED),
                          1);
}

/// Takes a reader away while no writer waits for that.
static inline bool ctg_rwlock_quick_end_reading(pthread_rwlock_t *lock) {
  unsigned readers = __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED);
  if (__builtin_expect(readers & CTG_RWLOCK_STATES || readers < CTG_RWLOCK_READER, 0)) return false;
  return __builtin_expect(__atomic_compare_exchange_n(&lock->__data.__readers, &readers, readers - CTG_RWLOCK_READER,
                                                      false, __ATOMIC_RELEASE, __ATOMIC_RELAXED),
                          1);
}

/// Takes the lock for writing if it is free.
static inline bool ctg_rwlock_quick_write(pthread_rwlock_t *lock, pid_t id) {
  unsigned readers = __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED);
  if (__builtin_expect(readers > CTG_RWLOCK_WRITING, 0)) return false;
  if (__builtin_expect(
          !__atomic_compare_exchange_n(&lock->__data.__readers, &readers, CTG_RWLOCK_WRITING | CTG_RWLOCK_WRITER, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED),
          0))
    return false;
  // From here on writers can wait, and readers where they could not already.
  __atomic_store_n(&lock->__data.__writers_futex, 1, __ATOMIC_RELAXED);
  if (__builtin_expect(readers == 0, 0)) __atomic_store_n(&lock->__data.__wrphase_futex, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&lock->__data.__cur_writer, id, __ATOMIC_RELAXED);
  return true;
}

/// Gives the lock back after writing, if no thread waits for it.
static inline bool ctg_rwlock_quick_end_writing(pthread_rwlock_t *lock, pid_t id) {
  unsigned none_waits = 1, readers = CTG_RWLOCK_WRITING | CTG_RWLOCK_WRITER;
  if (__builtin_expect(__atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) != readers, 0)) return false;
  // Writers cannot wait from here on.
  if (__builtin_expect(!__atomic_compare_exchange_n(&lock->__data.__writers_futex, &none_waits, 0, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED),
                       0))
    return false;
  // Release, as in ctg_mutex_quick_unlock.
  __atomic_store_n(&lock->__data.__cur_writer, 0, __ATOMIC_RELEASE);
  if (__builtin_expect(__atomic_compare_exchange_n(&lock->__data.__readers, &readers, CTG_RWLOCK_WRITING, false,
                                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED),
                       1))
    return true;
  // A reader came: it is still the writer's.
  __atomic_store_n(&lock->__data.__cur_writer, id, __ATOMIC_RELAXED);
  __atomic_store_n(&lock->__data.__writers_futex, 1, __ATOMIC_RELAXED);
  return false;
}

#pragma GCC visibility pop
