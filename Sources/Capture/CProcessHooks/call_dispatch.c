// System calls that are redirected to the program. No calls.

#include "call_dispatch.h"

#include <stdatomic.h>
#include <stddef.h>

#include "process_masks.h"

static _Thread_local CPH_INITIAL_EXEC volatile uint8_t *own_selector;
static _Atomic bool is_dispatched;

void cph_note_dispatch(volatile uint8_t *selector) {
  own_selector = selector;
  if (selector) atomic_store_explicit(&is_dispatched, true, memory_order_relaxed);
}

bool cph_calls_may_be_dispatched(void) { return atomic_load_explicit(&is_dispatched, memory_order_relaxed); }

volatile uint8_t *cph_blocking_selector(void) {
  if (!cph_calls_may_be_dispatched()) return NULL;
  volatile uint8_t *selector = own_selector;
  return selector && *selector == CPH_DISPATCH_BLOCK ? selector : NULL;
}
