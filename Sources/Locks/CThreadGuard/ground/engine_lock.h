#pragma once
// The only lock for the graph, the records and the table of threads. It uses futex, so that none of it is interposed. A
// thread holds it only for limited work, never while it unwinds a stack or reports a violation.

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "CGround/syscalls.h"

#pragma GCC visibility push(hidden)

/// 0 free, 1 taken, 2 taken with others waiting.
extern _Atomic uint32_t ctg_engine_word;

static inline void ctg_engine_lock(void) {
  uint32_t seen = 0;
  if (atomic_compare_exchange_strong_explicit(&ctg_engine_word, &seen, 1, memory_order_acquire, memory_order_relaxed))
    return;
  while (atomic_exchange_explicit(&ctg_engine_word, 2, memory_order_acquire) != 0)
    cgr_syscall4(SYS_futex, &ctg_engine_word, FUTEX_WAIT_PRIVATE, 2, 0);
}

static inline void ctg_engine_unlock(void) {
  if (atomic_exchange_explicit(&ctg_engine_word, 0, memory_order_release) == 2)
    cgr_syscall3(SYS_futex, &ctg_engine_word, FUTEX_WAKE_PRIVATE, 1);
}

#pragma GCC visibility pop
