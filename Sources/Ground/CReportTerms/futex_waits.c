// Waits in futex(2), by the rules of the kernel and of glibc on 64 bits.

#include "futex_waits.h"

#include <linux/futex.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

static const term_wait_function functions[] = {
    {"pthread_mutex_lock", TERM_WAIT_MUTEX},
    {"pthread_rwlock_rdlock", TERM_WAIT_READ_LOCK},
    {"pthread_rwlock_timedrdlock", TERM_WAIT_READ_LOCK},
    {"pthread_rwlock_clockrdlock", TERM_WAIT_READ_LOCK},
    {"pthread_rwlock_wrlock", TERM_WAIT_WRITE_LOCK},
    {"pthread_rwlock_timedwrlock", TERM_WAIT_WRITE_LOCK},
    {"pthread_rwlock_clockwrlock", TERM_WAIT_WRITE_LOCK},
    {"pthread_cond_wait", TERM_WAIT_CONDITION},
    {"pthread_cond_timedwait", TERM_WAIT_CONDITION},
    {"pthread_cond_clockwait", TERM_WAIT_CONDITION},
};

const term_wait_function *term_wait_function_at(size_t index) {
  return index < sizeof functions / sizeof *functions ? &functions[index] : NULL;
}

term_wait term_wait_in_futex(term_wait function, uint64_t operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2: return TERM_WAIT_INHERITING_MUTEX;
    // Only a mutex is waited for without a set of bits. Who waited for a condition and was woken waits for its mutex.
    case FUTEX_WAIT: return function == TERM_WAIT_CONDITION ? TERM_WAIT_MUTEX : function;
    // The end of a thread is waited for in a function that libc does not export, by a word that is open to all
    // processes.
    case FUTEX_WAIT_BITSET:
      return function == TERM_WAIT_NONE && !(operation & FUTEX_PRIVATE_FLAG) ? TERM_WAIT_THREAD : function;
    default: return TERM_WAIT_NONE;
  }
}

const char *term_wait_type(term_wait kind) {
  static const char *const types[] = {
      [TERM_WAIT_MUTEX] = "mutex",       [TERM_WAIT_INHERITING_MUTEX] = "mutex", [TERM_WAIT_READ_LOCK] = "rwlock",
      [TERM_WAIT_WRITE_LOCK] = "rwlock", [TERM_WAIT_CONDITION] = "condition",    [TERM_WAIT_THREAD] = "thread",
  };
  return types[kind];
}

// glibc, sysdeps/nptl/bits/struct_rwlock.h: readers, writers, the two words that are waited on, two more, who writes.
enum { RWLOCK_PHASE = 8, RWLOCK_WRITERS = 12, RWLOCK_WRITER = 24 };

static bool is_rwlock(term_wait kind) { return kind == TERM_WAIT_READ_LOCK || kind == TERM_WAIT_WRITE_LOCK; }

uint64_t term_wait_lock(term_wait kind, uint64_t word) {
  if (!is_rwlock(kind)) return word;
  return word - (word % 8 == 0 ? RWLOCK_PHASE : RWLOCK_WRITERS);
}

size_t term_owner_words(term_wait kind) {
  switch (kind) {
    case TERM_WAIT_MUTEX: return TERM_OWNER_WORDS_MAX;
    case TERM_WAIT_INHERITING_MUTEX:
    case TERM_WAIT_READ_LOCK:
    case TERM_WAIT_WRITE_LOCK:
    case TERM_WAIT_THREAD: return 1;
    default: return 0;
  }
}

uint64_t term_owner_place(term_wait kind, uint64_t word) {
  return is_rwlock(kind) ? term_wait_lock(kind, word) + RWLOCK_WRITER : word;
}

// glibc, sysdeps/nptl/bits/struct_mutex.h: lock, count, owner, users, kind. Robust, priority-inheriting and protected
// ones have a bit of the kind, and another way to wait.
static uint32_t mutex_owner(const uint32_t *words) { return words[0] != 0 && (words[4] & 0x7c) == 0 ? words[2] : 0; }

int term_owner(term_wait kind, const uint32_t *words) {
  return (int)((kind == TERM_WAIT_MUTEX ? mutex_owner(words) : words[0]) & FUTEX_TID_MASK);
}
