#pragma once
// Taking a lock while others are held. If the thread has not held these locks together before, it asks about their
// order.

#include "locks/held.h"

#pragma GCC visibility push(hidden)

/// Another lock lies on top of others: makes its hash, and asks about its company if that is not known. Returns 0.
int ctg_held_in_company(struct ctg_thread_state *self, struct ctg_held *taken);

/// Asks about the order of the last lock. Returns 0.
int ctg_held_ask_order(struct ctg_thread_state *self, struct ctg_held *taken);

/// The whole of taking a lock: puts it on the stack, and asks about its company if it has any. Returns 0. The less
/// common ways are tail calls, so that the common way saves no register for them.
static inline __attribute__((always_inline)) int ctg_held_take(struct ctg_thread_state *self, uintptr_t address,
                                                               enum ctg_lock_type type, uint8_t flags,
                                                               uint32_t identity, const uintptr_t *frame) {
  struct ctg_held *entry = ctg_held_push(self, address, type, flags, identity, frame);
  if (__builtin_expect(!entry, 0)) return ctg_held_overflow(self);
  if (__builtin_expect(entry == self->held, 1)) return 0;
  return ctg_held_in_company(self, entry);
}

#pragma GCC visibility pop
