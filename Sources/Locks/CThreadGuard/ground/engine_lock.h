#pragma once
// The one lock over the graph, the records and the table of threads. By futex, so that nothing of it is interposed.
// Held for bounded work only: never while a stack is unwound or a violation reported.

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
