// A futex (Drepper, "Futexes Are Tricky", the second mutex). System calls only.

#include "CGround/lock.h"

#include <linux/futex.h>

#include "CGround/syscalls.h"

enum { FREE, TAKEN, AWAITED };

bool cgr_lock_try(cgr_lock *lock) {
  uint32_t state = FREE;
  return atomic_compare_exchange_strong_explicit(&lock->state, &state, TAKEN, memory_order_acquire,
                                                 memory_order_relaxed);
}

void cgr_lock_take(cgr_lock *lock) {
  if (cgr_lock_try(lock)) return;
  while (atomic_exchange_explicit(&lock->state, AWAITED, memory_order_acquire) != FREE)
    cgr_syscall4(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, AWAITED, 0);
}

void cgr_lock_release(cgr_lock *lock) {
  if (atomic_exchange_explicit(&lock->state, FREE, memory_order_release) == AWAITED)
    cgr_syscall3(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1);
}
