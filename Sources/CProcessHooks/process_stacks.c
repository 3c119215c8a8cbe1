// Interposed sigaltstack.

#include "process_stacks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "process_threads.h"
#include "syscalls.h"

static int (*_Atomic observer)(const stack_t *, stack_t *);

void cph_observe_stacks(int (*sets)(const stack_t *wanted, stack_t *old)) { atomic_store(&observer, sets); }

__attribute__((visibility("default"))) int sigaltstack(const stack_t *restrict stack, stack_t *restrict old) {
  cph_thread_seen();
  int (*sets)(const stack_t *, stack_t *) = atomic_load_explicit(&observer, memory_order_acquire);
  int error;
  if (sets) {
    stack_t wanted, before;
    if (stack) wanted = *stack;
    error = sets(stack ? &wanted : NULL, &before);
    if (error == 0 && old) *old = before;
  } else {
    error = (int)-ck_syscall2(SYS_sigaltstack, stack, old);
  }
  if (error == 0) return 0;
  errno = error;
  return -1;
}
