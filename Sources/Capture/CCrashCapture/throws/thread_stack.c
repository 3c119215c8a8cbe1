// Asks libc, which reads a file for the main thread alone: there the loader's note of the stack's end is enough.

#include "throws/thread_stack.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "CGround/syscalls.h"

extern void *__libc_stack_end;

/// As far as the main thread's stack is thought to grow if it has no limit.
#define MAIN_STACK_MAX (1ull << 30)

static ck_thread_stack main_stack(void) {
  struct rlimit limit = {.rlim_cur = 0};
  getrlimit(RLIMIT_STACK, &limit);
  uintptr_t end = (uintptr_t)__libc_stack_end;
  return (ck_thread_stack){end - (limit.rlim_cur < MAIN_STACK_MAX ? limit.rlim_cur : MAIN_STACK_MAX), end};
}

void ck_thread_stack_find(ck_thread_stack *stack) {
  int error = errno;
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size = 0;
  *stack = (ck_thread_stack){0};
  if (cgr_syscall0(SYS_gettid) == cgr_syscall0(SYS_getpid)) {
    *stack = main_stack();
  } else if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &start, &size) == 0)
      *stack = (ck_thread_stack){(uintptr_t)start, (uintptr_t)start + size};
    pthread_attr_destroy(&attributes);
  }
  errno = error;
}
