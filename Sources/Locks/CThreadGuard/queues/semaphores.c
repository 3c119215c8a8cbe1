// Semaphores as locks. System calls and plain memory only, until something is wrong.

#include "queues/semaphores.h"

#include "findings/options.h"
#include "locks/held.h"
#include "locks/records.h"
#include "misuse/misuse.h"
#include "order/company.h"
#include "order/posts.h"
#include "threads/watch_bell.h"
#include "waiting/waits.h"

struct ctg_thread_state *ctg_semaphores_self(void) {
  return ctg_options.semaphores ? ctg_self() : NULL;
}

static struct ctg_held place_of(uintptr_t semaphore, uint8_t flags, const uintptr_t *frame) {
  struct ctg_held place = ctg_place(semaphore, CTG_SEMAPHORE, CTG_LOCK_IS_OPAQUE | flags, frame);
  place.identity = ctg_generation(semaphore);
  return place;
}

void ctg_semaphore_wait_begins(struct ctg_thread_state *self, uintptr_t semaphore, const uintptr_t *frame) {
  struct ctg_held wanted = place_of(semaphore, 0, frame);
  ctg_wait_ask_order(self, &wanted);
  ctg_wait_begins(self, &wanted);
  ctg_watcher_needed();
}

void ctg_semaphore_taken(struct ctg_thread_state *self, uintptr_t semaphore, bool by_try, const uintptr_t *frame) {
  struct ctg_held *held = ctg_held_find(self, semaphore);
  if (held) ctg_held_remove(self, held);
  ctg_held_slow(self);
  ctg_held_take(self, semaphore, CTG_SEMAPHORE, CTG_LOCK_IS_OPAQUE | (by_try ? CTG_TAKEN_BY_TRY : 0),
                ctg_generation(semaphore), frame);
}

void ctg_semaphore_posted(struct ctg_thread_state *self, uintptr_t semaphore, const uintptr_t *frame) {
  struct ctg_held *held = ctg_held_find(self, semaphore);
  bool is_own = held && !(held->flags & CTG_GIVEN_BACK);
  if (held) ctg_held_remove(self, held);
  if (is_own) return;
  ctg_given_back(semaphore);
  struct ctg_held place = place_of(semaphore, 0, frame);
  ctg_post_ask_order(self, &place);
}
