// The system calls that kill. No calls.

#include "CGround/deadly_calls.h"

_Atomic int cgr_filtered_threads;
CGR_OF_THREAD volatile bool cgr_thread_is_filtered;

// Of all filters together, the strictest decides, as in the kernel.
static _Atomic uint64_t deadly[CGR_CALLS / 64];

void cgr_deadly_calls_add(const cgr_call_set *calls, bool all_threads) {
  for (int i = 0; i < CGR_CALLS / 64; ++i) atomic_fetch_or(&deadly[i], calls->words[i]);
  cgr_thread_is_filtered = true;
  int reach = all_threads ? CGR_FILTERS_ALL_THREADS : CGR_FILTERS_SOME_THREADS, before = CGR_FILTERS_NOBODY;
  while (before < reach && !atomic_compare_exchange_weak(&cgr_filtered_threads, &before, reach)) continue;
}

bool cgr_call_is_deadly(long number) {
  int reach = atomic_load_explicit(&cgr_filtered_threads, memory_order_relaxed);
  if (reach == CGR_FILTERS_NOBODY || number < 0 || number >= CGR_CALLS) return false;
  bool is_set = atomic_load_explicit(&deadly[number / 64], memory_order_relaxed) >> number % 64 & 1;
  return is_set && (reach == CGR_FILTERS_ALL_THREADS || cgr_thread_is_filtered);
}
