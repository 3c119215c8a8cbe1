// A library to be preloaded: notes each call of malloc, mmap, a lock, the loader or stdio by a thread that the tracer
// says is in a signal handler, and passes it on.

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call_log.h"

static struct call_log *call_log;

static void note(const char *function, const void *caller) {
  if (!call_log) return;
  uint32_t end = atomic_load(&call_log->inside_end);
  if (end == 0) {
    atomic_fetch_add_explicit(&call_log->outside, 1, memory_order_relaxed);
    return;
  }
  int32_t self = (int32_t)syscall(SYS_gettid);
  for (uint32_t i = 0; i < end; ++i) {
    if (atomic_load(&call_log->inside[i]) != self) continue;
    uint32_t index = atomic_fetch_add(&call_log->count, 1);
    if (index >= CALL_LOG_CALLS) return;
    struct call *call = &call_log->calls[index];
    call->thread = self;
    strncpy(call->function, function, sizeof call->function - 1);
    call->caller = (uintptr_t)caller;
    return;
  }
}

#define NOTE(name) note(name, __builtin_return_address(0))

#define COUNTED(result, name, parameters, arguments)                 \
  result name parameters {                                           \
    static result(*real) parameters;                                 \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    NOTE(#name);                                                     \
    return real arguments;                                           \
  }

// --- Memory: past dlsym, which allocates ------------------------------------------------------------------------

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
  NOTE("malloc");
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  NOTE("calloc");
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  NOTE("realloc");
  return __libc_realloc(block, size);
}

void free(void *block) {
  NOTE("free");
  __libc_free(block);
}

void *memalign(size_t alignment, size_t size) {
  NOTE("memalign");
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  NOTE("aligned_alloc");
  return __libc_memalign(alignment, size);
}

COUNTED(int, posix_memalign, (void **block, size_t alignment, size_t size), (block, alignment, size))
COUNTED(void *, reallocarray, (void *block, size_t count, size_t size), (block, count, size))
COUNTED(void *, valloc, (size_t size), (size))
COUNTED(void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
        (at, size, protection, flags, file, offset))
COUNTED(void *, mmap64, (void *at, size_t size, int protection, int flags, int file, off64_t offset),
        (at, size, protection, flags, file, offset))
COUNTED(int, munmap, (void *at, size_t size), (at, size))
COUNTED(int, mprotect, (void *at, size_t size, int protection), (at, size, protection))
COUNTED(int, madvise, (void *at, size_t size, int advice), (at, size, advice))
COUNTED(int, brk, (void *end), (end))
COUNTED(void *, sbrk, (intptr_t growth), (growth))

// --- Locks ------------------------------------------------------------------------------------------------------

COUNTED(int, pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
COUNTED(int, pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
COUNTED(int, pthread_mutex_timedlock, (pthread_mutex_t * lock, const struct timespec *until), (lock, until))
COUNTED(int, pthread_mutex_unlock, (pthread_mutex_t * lock), (lock))
COUNTED(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
COUNTED(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
COUNTED(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
COUNTED(int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
COUNTED(int, pthread_spin_unlock, (pthread_spinlock_t * lock), (lock))
COUNTED(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock), (condition, lock))
COUNTED(int, pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *until),
        (condition, lock, until))
COUNTED(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))
COUNTED(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
COUNTED(int, pthread_once, (pthread_once_t * once, void (*function)(void)), (once, function))
COUNTED(int, sem_wait, (sem_t * semaphore), (semaphore))
COUNTED(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))
COUNTED(int, sem_post, (sem_t * semaphore), (semaphore))

// --- The loader -------------------------------------------------------------------------------------------------

COUNTED(int, dl_iterate_phdr, (int (*function)(struct dl_phdr_info *, size_t, void *), void *argument),
        (function, argument))
COUNTED(void *, dlopen, (const char *name, int flags), (name, flags))
COUNTED(int, dlclose, (void *handle), (handle))
COUNTED(int, dladdr, (const void *address, Dl_info *info), (address, info))
COUNTED(void *, __tls_get_addr, (void *index), (index))

// --- stdio, and what takes locks or allocates like it -----------------------------------------------------------

COUNTED(int, vfprintf, (FILE * file, const char *format, va_list arguments), (file, format, arguments))
COUNTED(int, vsnprintf, (char *out, size_t size, const char *format, va_list arguments), (out, size, format, arguments))
COUNTED(int, vdprintf, (int file, const char *format, va_list arguments), (file, format, arguments))
COUNTED(int, puts, (const char *text), (text))
COUNTED(int, fputs, (const char *text, FILE *file), (text, file))
COUNTED(int, fputc, (int character, FILE *file), (character, file))
COUNTED(int, putchar, (int character), (character))
COUNTED(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *file), (bytes, size, count, file))
COUNTED(size_t, fread, (void *bytes, size_t size, size_t count, FILE *file), (bytes, size, count, file))
COUNTED(char *, fgets, (char *out, int size, FILE *file), (out, size, file))
COUNTED(FILE *, fopen, (const char *path, const char *mode), (path, mode))
COUNTED(int, fclose, (FILE * file), (file))
COUNTED(int, fflush, (FILE * file), (file))
COUNTED(struct tm *, localtime, (const time_t *time), (time))
COUNTED(struct tm *, localtime_r, (const time_t *time, struct tm *out), (time, out))
COUNTED(struct tm *, gmtime, (const time_t *time), (time))
COUNTED(struct tm *, gmtime_r, (const time_t *time, struct tm *out), (time, out))
COUNTED(size_t, strftime, (char *out, size_t size, const char *format, const struct tm *time),
        (out, size, format, time))
COUNTED(char *, strerror, (int number), (number))
COUNTED(char *, getenv, (const char *name), (name))

#define PASS_ON(name, call)      \
  {                              \
    NOTE(name);                  \
    va_list arguments;           \
    va_start(arguments, format); \
    int result = call;           \
    va_end(arguments);           \
    return result;               \
  }

int printf(const char *format, ...)
    PASS_ON("printf", vfprintf(stdout, format, arguments)) int fprintf(FILE *file, const char *format, ...)
        PASS_ON("fprintf", vfprintf(file, format, arguments)) int dprintf(int file, const char *format, ...)
            PASS_ON("dprintf", vdprintf(file, format, arguments)) int snprintf(char *out, size_t size,
                                                                               const char *format, ...)
                PASS_ON("snprintf", vsnprintf(out, size, format, arguments))

                    __attribute__((constructor)) static void map_log(void) {
  const char *path = getenv("CALL_LOG");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(struct call_log), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) call_log = memory;
}
