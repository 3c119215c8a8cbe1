// An atomic pointer, and a call of what it points to.

#include "process_faults.h"

#include <stdatomic.h>
#include <stddef.h>

typedef bool (*filter)(int, siginfo_t *, void *);

static _Atomic(filter) current;

void cph_filter_faults(filter wanted) { atomic_store_explicit(&current, wanted, memory_order_release); }

bool cph_fault_is_filtered(int signal, siginfo_t *info, void *context) {
  filter filter = atomic_load_explicit(&current, memory_order_acquire);
  return filter && filter(signal, info, context);
}
