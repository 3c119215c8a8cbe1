// Orders that a post makes. Plain memory only, until something is wrong.

#include "order/posts.h"

#include <errno.h>

#include "locks/held.h"
#include "misuse/misuse.h"
#include "order/company.h"

// Two that take turns by two semaphores post one while they have the other. Queues are waited for like locks.
static bool counts(const struct ctg_held *held) { return ctg_is_lock(held) || held->type == CTG_QUEUE; }

// Puts it below all that the thread holds, and asks for the order of each of these.
void ctg_post_ask_order(struct ctg_thread_state *self, const struct ctg_held *posted) {
  if (self->depth == 0 || self->depth == CTG_HELD_MAX) return;
  int error = errno;
  for (uint32_t i = self->depth; i > 0; --i) {
    self->held[i] = self->held[i - 1];
    self->tasks[i] = self->tasks[i - 1];
  }
  self->held[0] = *posted;
  self->depth++;
  ctg_held_rehash(self, 0);
  // From the last one down, for some may be dropped on the way.
  for (uint32_t i = self->depth; i-- > 1;)
    if (i < self->depth && counts(&self->held[i]) && !ctg_chain_is_known(self, self->held[i].chain))
      ctg_held_ask_order(self, &self->held[i]);
  ctg_held_remove(self, &self->held[0]);
  errno = error;
}
