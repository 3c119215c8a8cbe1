// Makes direct system calls only. Everything except the lock is async-signal-safe.
#include "region_storage.h"
#include "CGround/syscalls.h"
#include <linux/time_types.h>
#include <sys/mman.h>

_Alignas(CPH_PAGE_ALIGNMENT) unsigned char cph_region[CPH_REGION_CAPACITY];
_Alignas(CPH_PAGE_ALIGNMENT) struct cph_region_private cph_region_private;
_Atomic(cph_region_renew_hook) cph_region_renew;

// How many processes there were on the way from the first that entered to this one. Ordinary memory: a fork inherits
// it. Atomic, since a thread that finds another one at work reads it; relaxed, since `state` orders the rest.
static _Atomic uint32_t generation;

bool cph_region_enter_slow(void) {
  uint32_t seen = 0;
  if (!atomic_compare_exchange_strong(&cph_region_private.state, &seen, CPH_REGION_BUSY)) {
    // In the first process the memory is plain and private: nothing to wait for.
    return seen != CPH_REGION_BUSY || atomic_load_explicit(&generation, memory_order_relaxed) == 0;
  }
  cph_region_renew_hook renew = atomic_load(&cph_region_renew);
  uint32_t before = atomic_load_explicit(&generation, memory_order_relaxed);
  if (before > 0 && renew && !renew()) {
    atomic_store(&cph_region_private.state, 0);
    return false;
  }
  // Refused before Linux 4.14: then the atfork handler clears the page, and only raw forks go unnoticed.
  cgr_syscall3(SYS_madvise, (long)&cph_region_private, sizeof cph_region_private, MADV_WIPEONFORK);
  uint32_t now = before + 1 == CPH_REGION_BUSY ? 1 : before + 1;
  atomic_store_explicit(&generation, now, memory_order_relaxed);
  atomic_store_explicit(&cph_region_private.state, now, memory_order_release);
  return true;
}

bool cph_region_lock_tables(void) {
  enum { yields = 100, naps = 1000 };
  for (int attempt = 0; attempt < yields + naps; attempt++) {
    uint32_t unlocked = 0;
    if (atomic_compare_exchange_strong_explicit(&cph_region_private.table_lock, &unlocked, 1, memory_order_acquire,
                                                memory_order_relaxed))
      return true;
    if (attempt < yields) {
      cgr_syscall0(SYS_sched_yield);
    } else {
      // A spinning real-time thread would keep the holder from ever running.
      struct __kernel_timespec nap = {.tv_nsec = 1000000};
      cgr_syscall2(SYS_nanosleep, (long)&nap, 0);
    }
  }
  return false;
}

void cph_region_unlock_tables(void) { atomic_store_explicit(&cph_region_private.table_lock, 0, memory_order_release); }
