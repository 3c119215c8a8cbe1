// Whether glibc's locks are those that quick_locks.h knows. Ordinary libc, at the start.

#include "locks/quick_locks.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <stdio.h>

#include "CGround/look_up.h"
#include "findings/options.h"
#include "ground/libc_functions.h"
#include "ground/slow_path.h"
#include "CGround/syscalls.h"

// The versions whose sources were read: from 2.34 to 2.43 these locks did not change.
#define FIRST_MINOR 34
#define LAST_MINOR 43

static bool is_known_version(void) {
  unsigned major = 0, minor = 0;
  return sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor) == 2 && major == 2 && minor >= FIRST_MINOR
         && minor <= LAST_MINOR;
}

static const void *image_of(const void *function) {
  Dl_info info;
  return dladdr(function, &info) ? info.dli_fbase : NULL;
}

// Another library that stands in for the same functions must go on being called.
static bool is_libc_next(void) {
  const void *libc = image_of((const void *)gnu_get_libc_version);
  return libc && image_of((const void *)ctg_real.mutex_lock) == libc
         && image_of((const void *)ctg_real.mutex_unlock) == libc
         && image_of((const void *)ctg_real.rwlock_rdlock) == libc
         && image_of((const void *)ctg_real.rwlock_wrlock) == libc
         && image_of((const void *)ctg_real.rwlock_unlock) == libc;
}

// For Helgrind and DRD valgrind replaces libc's functions where they lie.
static bool is_under_valgrind(void) { return cgr_look_up(RTLD_DEFAULT, "_vgnU_freeres") != NULL; }

// Where locks are elided, the kind changes and the lock does not.
static bool mutexes_are_known(pid_t id) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (!ctg_mutex_is_plain(&mutex) || ctg_real.mutex_lock(&mutex) != 0) return false;
  bool is_known = mutex.__data.__lock == CTG_MUTEX_TAKEN && mutex.__data.__owner == id && mutex.__data.__nusers == 1
                  && ctg_mutex_is_plain(&mutex);
  ctg_real.mutex_unlock(&mutex);
  is_known &= mutex.__data.__lock == CTG_MUTEX_FREE && mutex.__data.__owner == 0 && mutex.__data.__nusers == 0;
  // Taken one way, given back the other.
  is_known = is_known && ctg_mutex_quick_lock(&mutex, ctg_mutex_user(id)) && ctg_real.mutex_trylock(&mutex) != 0;
  return is_known && ctg_real.mutex_unlock(&mutex) == 0 && mutex.__data.__lock == CTG_MUTEX_FREE;
}

static bool is_written(const pthread_rwlock_t *lock, pid_t id) {
  return lock->__data.__readers == (CTG_RWLOCK_WRITING | CTG_RWLOCK_WRITER) && lock->__data.__writers_futex == 1
         && lock->__data.__wrphase_futex == 1 && lock->__data.__cur_writer == id;
}

static bool rwlocks_are_known(pid_t id) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  if (!ctg_rwlock_is_plain(&lock) || ctg_real.rwlock_rdlock(&lock) != 0) return false;
  bool is_known = lock.__data.__readers == CTG_RWLOCK_READER;
  ctg_real.rwlock_unlock(&lock);
  is_known = is_known && lock.__data.__readers == 0 && ctg_real.rwlock_wrlock(&lock) == 0;
  if (!is_known) return false;
  is_known = is_written(&lock, id);
  ctg_real.rwlock_unlock(&lock);
  is_known &=
      lock.__data.__readers == CTG_RWLOCK_WRITING && lock.__data.__writers_futex == 0 && lock.__data.__cur_writer == 0;
  is_known = is_known && ctg_rwlock_quick_write(&lock, id) && is_written(&lock, id);
  return is_known && ctg_real.rwlock_unlock(&lock) == 0 && lock.__data.__readers == CTG_RWLOCK_WRITING;
}

void ctg_mutex_wake_one(pthread_mutex_t *mutex) {
  cgr_syscall3(SYS_futex, &mutex->__data.__lock, FUTEX_WAKE_PRIVATE, 1);
}

void ctg_quick_locks_prepare(void) {
  pid_t id = (pid_t)cgr_syscall0(SYS_gettid);
  if (ctg_options.own_steps && is_known_version() && is_libc_next() && !is_under_valgrind() && mutexes_are_known(id)
      && rwlocks_are_known(id))
    ctg_slow_path_leave(CTG_SLOW_LOCKS_ARE_UNKNOWN);
}
