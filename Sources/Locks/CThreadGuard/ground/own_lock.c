// A lock by futex. System calls only.

#include "ground/own_lock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <time.h>

#include "CGround/syscalls.h"

#define OTHERS_WAIT 0x80000000u

bool ctg_own_lock_take(struct ctg_own_lock *lock) {
  uint32_t self = (uint32_t)cgr_syscall0(SYS_gettid), process = (uint32_t)cgr_syscall0(SYS_getpid);
  uint32_t mark = 0;
  for (;;) {
    uint32_t found = 0;
    if (atomic_compare_exchange_strong(&lock->owner, &found, self | mark)) break;
    if ((found & ~OTHERS_WAIT) == self && atomic_load(&lock->process) == process) return false;
    uint32_t owners = atomic_load(&lock->process);
    if (owners != 0 && owners != process) {
      // Taken in the process that this one was forked from.
      if (atomic_compare_exchange_strong(&lock->owner, &found, self)) break;
      continue;
    }
    if (!(found & OTHERS_WAIT) && !atomic_compare_exchange_strong(&lock->owner, &found, found | OTHERS_WAIT)) continue;
    // This thread may not be the last one that waits.
    mark = OTHERS_WAIT;
    cgr_syscall4(SYS_futex, &lock->owner, FUTEX_WAIT_PRIVATE, found | OTHERS_WAIT, NULL);
  }
  atomic_store(&lock->process, process);
  return true;
}

void ctg_own_lock_release(struct ctg_own_lock *lock) {
  uint32_t before = atomic_exchange(&lock->owner, 0);
  if (before & OTHERS_WAIT) cgr_syscall3(SYS_futex, &lock->owner, FUTEX_WAKE_PRIVATE, 1);
}

void ctg_own_lock_settle(struct ctg_own_lock *lock, int milliseconds) {
  // In a child of fork its owner may be a thread of the parent's.
  bool is_ours = atomic_load(&lock->process) == (uint32_t)cgr_syscall0(SYS_getpid);
  for (int ms = 0; is_ours && ms < milliseconds && atomic_load(&lock->owner) != 0; ++ms)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
