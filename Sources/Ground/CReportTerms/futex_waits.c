// Waits in futex(2), by the rules of the kernel and of glibc on 64 bits.

#include "futex_waits.h"

#include <linux/futex.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

#define LIBC "libc.so.6"
#define DISPATCH "libdispatch.so"

// Between the function that the program called and the system call lie a few of the library's own.
static const term_wait_function functions[] = {
    {LIBC, "pthread_mutex_lock", TERM_WAIT_MUTEX, TERM_WAIT_FRAMES},
    {LIBC, "pthread_mutex_timedlock", TERM_WAIT_MUTEX, TERM_WAIT_FRAMES},
    {LIBC, "pthread_mutex_clocklock", TERM_WAIT_MUTEX, TERM_WAIT_FRAMES},
    {LIBC, "pthread_rwlock_rdlock", TERM_WAIT_READ_LOCK, TERM_WAIT_FRAMES},
    {LIBC, "pthread_rwlock_timedrdlock", TERM_WAIT_READ_LOCK, TERM_WAIT_FRAMES},
    {LIBC, "pthread_rwlock_clockrdlock", TERM_WAIT_READ_LOCK, TERM_WAIT_FRAMES},
    {LIBC, "pthread_rwlock_wrlock", TERM_WAIT_WRITE_LOCK, TERM_WAIT_FRAMES},
    {LIBC, "pthread_rwlock_timedwrlock", TERM_WAIT_WRITE_LOCK, TERM_WAIT_FRAMES},
    {LIBC, "pthread_rwlock_clockwrlock", TERM_WAIT_WRITE_LOCK, TERM_WAIT_FRAMES},
    {LIBC, "pthread_cond_wait", TERM_WAIT_CONDITION, TERM_WAIT_FRAMES},
    {LIBC, "pthread_cond_timedwait", TERM_WAIT_CONDITION, TERM_WAIT_FRAMES},
    {LIBC, "pthread_cond_clockwait", TERM_WAIT_CONDITION, TERM_WAIT_FRAMES},
    {LIBC, "sem_wait", TERM_WAIT_SEMAPHORE, TERM_WAIT_FRAMES},
    {LIBC, "sem_timedwait", TERM_WAIT_SEMAPHORE, TERM_WAIT_FRAMES},
    {LIBC, "sem_clockwait", TERM_WAIT_SEMAPHORE, TERM_WAIT_FRAMES},
    {LIBC, "pthread_barrier_wait", TERM_WAIT_BARRIER, TERM_WAIT_FRAMES},
    {DISPATCH, "dispatch_block_wait", TERM_WAIT_WORK_ITEM, TERM_WAIT_FRAMES},
    // These two call the program's initialiser, which may wait for something else further in.
    {DISPATCH, "dispatch_once_f", TERM_WAIT_ONCE, 3},
    {"libswiftCore.so", "swift_once", TERM_WAIT_ONCE, 2},
    // _MutexHandle._lockSlow
    {"libswiftSynchronization.so", "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF",
     TERM_WAIT_OWNERLESS_MUTEX, 2},
};

const term_wait_function *term_wait_function_at(size_t index) {
  return index < sizeof functions / sizeof *functions ? &functions[index] : NULL;
}

static bool is_inheriting(uint64_t operation) {
  return (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI || (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI2;
}

// Only a mutex is waited for without a set of bits. Who waited for a condition and was woken waits for its mutex.
static term_wait without_bits(term_wait function) {
  switch (function) {
    case TERM_WAIT_CONDITION: return TERM_WAIT_MUTEX;
    case TERM_WAIT_WORK_ITEM: return TERM_WAIT_NONE;
    default: return function;
  }
}

// The end of a thread is waited for in a function that libc does not export, by a word that is open to all processes.
static term_wait with_bits(term_wait function, bool is_shared) {
  switch (function) {
    case TERM_WAIT_NONE: return is_shared ? TERM_WAIT_THREAD : TERM_WAIT_NONE;
    case TERM_WAIT_WORK_ITEM:
    case TERM_WAIT_ONCE:
    case TERM_WAIT_OWNERLESS_MUTEX: return TERM_WAIT_NONE;
    default: return function;
  }
}

term_wait term_wait_in_futex(term_wait function, uint64_t operation) {
  if (is_inheriting(operation)) return function == TERM_WAIT_ONCE ? TERM_WAIT_ONCE : TERM_WAIT_INHERITING_MUTEX;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: return without_bits(function);
    case FUTEX_WAIT_BITSET: return with_bits(function, !(operation & FUTEX_PRIVATE_FLAG));
    default: return TERM_WAIT_NONE;
  }
}

const char *term_wait_type(term_wait kind) {
  static const char *const types[] = {
      [TERM_WAIT_MUTEX] = "mutex",
      [TERM_WAIT_INHERITING_MUTEX] = "mutex",
      [TERM_WAIT_READ_LOCK] = "rwlock",
      [TERM_WAIT_WRITE_LOCK] = "rwlock",
      [TERM_WAIT_CONDITION] = "condition",
      [TERM_WAIT_THREAD] = "thread",
      [TERM_WAIT_SEMAPHORE] = "semaphore",
      [TERM_WAIT_BARRIER] = "barrier",
      [TERM_WAIT_OWNERLESS_MUTEX] = "mutex",
      [TERM_WAIT_QUEUE] = "queue",
      [TERM_WAIT_GROUP] = "group",
      [TERM_WAIT_WORK_ITEM] = "workItem",
      [TERM_WAIT_ONCE] = "once",
  };
  return types[kind];
}

// glibc, sysdeps/nptl/bits/struct_rwlock.h: readers, writers, the two words that are waited on, two more, who writes.
enum { RWLOCK_PHASE = 8, RWLOCK_WRITERS = 12, RWLOCK_WRITER = 24 };

static bool is_rwlock(term_wait kind) { return kind == TERM_WAIT_READ_LOCK || kind == TERM_WAIT_WRITE_LOCK; }

// glibc's barrier begins with the number of threads that came, Swift's once with the word that says that it is done.
enum { BARRIER_ROUND = 4, ONCE_LOCK = 4 };

uint64_t term_wait_lock(term_wait kind, uint64_t operation, uint64_t word) {
  if (is_rwlock(kind)) return word - (word % 8 == 0 ? RWLOCK_PHASE : RWLOCK_WRITERS);
  if (kind == TERM_WAIT_BARRIER) return word - BARRIER_ROUND;
  return kind == TERM_WAIT_ONCE && is_inheriting(operation) ? word - ONCE_LOCK : word;
}

size_t term_owner_words(term_wait kind) {
  switch (kind) {
    case TERM_WAIT_MUTEX: return TERM_OWNER_WORDS_MAX;
    case TERM_WAIT_INHERITING_MUTEX:
    case TERM_WAIT_READ_LOCK:
    case TERM_WAIT_WRITE_LOCK:
    case TERM_WAIT_THREAD:
    case TERM_WAIT_ONCE: return 1;
    default: return 0;
  }
}

uint64_t term_owner_place(term_wait kind, uint64_t operation, uint64_t word) {
  return is_rwlock(kind) ? term_wait_lock(kind, operation, word) + RWLOCK_WRITER : word;
}

// glibc, sysdeps/nptl/bits/struct_mutex.h: lock, count, owner, users, kind. Some kinds have a bit of their own: of a
// robust mutex the kernel reads the owner in the lock; those that inherit priorities, and protected ones, are not read.
enum { MUTEX_ROBUST = 0x10, MUTEX_OTHERS = 0x6c };

static uint32_t mutex_owner(const uint32_t *words) {
  if (words[0] == 0 || words[4] & MUTEX_OTHERS) return 0;
  return words[4] & MUTEX_ROBUST ? words[0] : words[2];
}

int term_owner(term_wait kind, const uint32_t *words) {
  return (int)((kind == TERM_WAIT_MUTEX ? mutex_owner(words) : words[0]) & FUTEX_TID_MASK);
}
