// The system calls that are not made. No calls.

#include "CGround/barred_calls.h"

_Atomic int cgr_filtered_threads;
CGR_OF_THREAD volatile bool cgr_thread_is_unfiltered;

// Of all filters of all threads together: which thread has which is not kept.
static _Atomic uint64_t barred[CGR_CALLS / 64];

cgr_barred_calls cgr_calls_bar(const cgr_call_set *calls, bool all_threads) {
  cgr_barred_calls result = {.unfiltered_before = cgr_thread_is_unfiltered};
  for (int i = 0; i < CGR_CALLS / 64; ++i)
    result.added.words[i] = calls->words[i] & ~atomic_fetch_or(&barred[i], calls->words[i]);
  cgr_thread_is_unfiltered = false;
  int reach = all_threads ? CGR_FILTERS_ALL_THREADS : CGR_FILTERS_SOME_THREADS, before = CGR_FILTERS_NOBODY;
  while (before < reach && !atomic_compare_exchange_weak(&cgr_filtered_threads, &before, reach)) continue;
  result.reach_before = before;
  return result;
}

void cgr_calls_open_again(const cgr_barred_calls *barred_calls) {
  for (int i = 0; i < CGR_CALLS / 64; ++i) atomic_fetch_and(&barred[i], ~barred_calls->added.words[i]);
  cgr_thread_is_unfiltered = barred_calls->unfiltered_before;
  // Another filter that came meanwhile keeps what it has set.
  int now = atomic_load(&cgr_filtered_threads);
  if (now == CGR_FILTERS_SOME_THREADS && barred_calls->reach_before == CGR_FILTERS_NOBODY)
    atomic_compare_exchange_strong(&cgr_filtered_threads, &now, CGR_FILTERS_NOBODY);
}

bool cgr_call_is_barred(long number) {
  int reach = atomic_load_explicit(&cgr_filtered_threads, memory_order_relaxed);
  if (reach == CGR_FILTERS_NOBODY || number < 0 || number >= CGR_CALLS) return false;
  bool is_set = atomic_load_explicit(&barred[number / 64], memory_order_relaxed) >> number % 64 & 1;
  return is_set && (reach == CGR_FILTERS_ALL_THREADS || !cgr_thread_is_unfiltered);
}
