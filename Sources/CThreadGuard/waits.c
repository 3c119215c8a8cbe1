// Waiting for a lock. System calls and plain memory only, until something is wrong.

#include "waits.h"

#include <errno.h>

#include "held.h"
#include "misuse.h"

#define PIECE_MS 250

static struct timespec later(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_nsec += PIECE_MS * 1000000l;
  if (now.tv_nsec >= 1000000000l) {
    now.tv_nsec -= 1000000000l;
    now.tv_sec++;
  }
  return now;
}

static void publish(struct ctg_thread_state *self, const struct ctg_held *wanted) {
  self->wanted = *wanted;
  atomic_fetch_add_explicit(&self->waits, 1, memory_order_release);
}

static void withdraw(struct ctg_thread_state *self) { atomic_fetch_add_explicit(&self->waits, 1, memory_order_release); }

int ctg_wait(struct ctg_thread_state *self, struct ctg_held *wanted,
             int (*wait_a_while)(void *lock, uint8_t flags, const struct timespec *limit)) {
  if (self->depth) {
    uint64_t chain = ctg_chain(self->held[self->depth - 1].chain, wanted->address, wanted->identity, wanted->flags);
    if (!ctg_chain_is_known(self, chain)) ctg_order_check(self, wanted);
  }
  publish(self, wanted);
  int result;
  do {
    struct timespec limit = later();
    result = wait_a_while((void *)wanted->address, wanted->flags, &limit);
  } while (result == ETIMEDOUT);
  withdraw(self);
  return result;
}
