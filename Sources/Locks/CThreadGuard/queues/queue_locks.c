// Serial queues as locks. libdispatch's own functions, and plain memory.

#include "queues/queue_locks.h"

#include <errno.h>

#include "current/queue_owner.h"
#include "ground/engine_lock.h"
#include "ground/state.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "locks/records.h"
#include "order/company.h"
#include "order/lock_order.h"

extern void *dispatch_get_current_queue(void) __attribute__((weak));
extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));

_Atomic unsigned long ctg_queue_syncs;

void ctg_queue_note_wait(struct ctg_thread_state *self) {
  int error = errno;
  ctg_busy++;
  ctg_wait_note_stacks(self);
  ctg_busy--;
  errno = error;
}

static void label(struct ctg_held *held) {
  const char *text = dispatch_queue_get_label ? dispatch_queue_get_label((void *)held->address) : NULL;
  ctg_busy++;
  ctg_engine_lock();
  uint32_t number = ctg_record_of(held);
  if (number) ctg_record_label(number, text);
  ctg_engine_unlock();
  ctg_busy--;
}

void *ctg_queue_work_begins(const struct ctg_held *taken) {
  struct ctg_thread_state *self = ctg_self();
  if (!self) return NULL;
  ctg_queue_owner_prepare();
  void *queue = dispatch_get_current_queue ? dispatch_get_current_queue() : NULL;
  if (!queue || ctg_held_find(self, (uintptr_t)queue)) return NULL;
  bool is_alone = ctg_queue_is_run_by((uintptr_t)queue, self->id);
  if (!is_alone && !taken) return NULL;
  uintptr_t address = (uintptr_t)queue;
  // Others may run work of it at the same time, but none that asks for a barrier.
  uint8_t flags = CTG_LOCK_IS_OPAQUE | (taken ? 0 : CTG_TAKEN_BY_TRY) | (is_alone ? 0 : CTG_TAKEN_SHARED);
  const uintptr_t nowhere[2] = {0, 0};
  struct ctg_held *held = ctg_held_push(self, address, CTG_QUEUE, flags, ctg_generation(address), nowhere);
  if (!held) return NULL;
  if (taken) ctg_held_copy_callers(held, taken);
  ctg_held_rehash(self, (uint32_t)(held - self->held));
  if (ctg_chain_is_known(self, held->chain)) return queue;
  label(held);
  if (taken && held != self->held) ctg_order_check(self, held);
  ctg_chain_keep(self, held->chain);
  return queue;
}

void ctg_queue_ask_order(struct ctg_thread_state *self, struct ctg_held *wanted) {
  if (ctg_busy || self->depth == 0) return;
  uint64_t chain = ctg_chain(ctg_chain_of(self, self->depth), wanted->address, wanted->identity, wanted->flags);
  if (ctg_chain_is_known(self, chain)) return;
  label(wanted);
  ctg_held_ask_order(self, wanted);
}

void ctg_queue_work_ends(void *queue) {
  struct ctg_thread_state *self = queue ? ctg_self() : NULL;
  if (self && !ctg_held_pop(self, (uintptr_t)queue)) ctg_held_release(self, (uintptr_t)queue);
}
