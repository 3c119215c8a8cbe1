// Taking a lock while others are held. Plain memory only, until something is new.

#include "order/company.h"

#include "ground/state.h"
#include "misuse/misuse.h"
#include "order/lock_order.h"

int ctg_held_ask_order(struct ctg_thread_state *self, struct ctg_held *taken) {
  if (!ctg_busy) ctg_order_check(self, taken);
  return 0;
}

// The last lock was taken by another Swift task than the one below it.
static __attribute__((noinline)) int ask_task(struct ctg_thread_state *self, struct ctg_held *taken) {
  if (!ctg_busy) ctg_held_by_other_task(self, taken);
  if ((taken->flags & CTG_TAKEN_BY_TRY) || ctg_chain_is_known(self, taken->chain)) return 0;
  return ctg_held_ask_order(self, taken);
}

int ctg_held_in_company(struct ctg_thread_state *self, struct ctg_held *taken) {
  uint32_t at = (uint32_t)(taken - self->held);
  taken->chain = ctg_chain(ctg_chain_of(self, at), taken->address, taken->identity, taken->flags);
  if (__builtin_expect(self->tasks[at - 1] != self->tasks[at], 0)) return ask_task(self, taken);
  if ((taken->flags & CTG_TAKEN_BY_TRY) || ctg_chain_is_known(self, taken->chain)) return 0;
  return ctg_held_ask_order(self, taken);
}
