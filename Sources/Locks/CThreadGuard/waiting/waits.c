// Waiting for a lock. System calls and plain memory only, until something is wrong.

#include "waiting/waits.h"

#include <errno.h>

#include "ground/state.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "order/company.h"
#include "waiting/deadlocks.h"

#define PIECE_MS 250u
#define LATER_PIECE_MS 2000u
#define SOON 40u  // pieces

static struct timespec after(unsigned milliseconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_sec += milliseconds / 1000;
  now.tv_nsec += milliseconds % 1000 * 1000000l;
  if (now.tv_nsec >= 1000000000l) {
    now.tv_nsec -= 1000000000l;
    now.tv_sec++;
  }
  return now;
}

void ctg_wait_ask_order(struct ctg_thread_state *self, struct ctg_held *wanted) {
  if (self->depth == 0) return;
  uint64_t below = ctg_chain_of(self, self->depth);
  if (!ctg_chain_is_known(self, ctg_chain(below, wanted->address, wanted->identity, wanted->flags)))
    ctg_held_ask_order(self, wanted);
}

void ctg_wait_begins(struct ctg_thread_state *self, const struct ctg_held *wanted) {
  ctg_held_copy(&self->wanted, wanted);
  atomic_fetch_add_explicit(&self->waits, 1, memory_order_release);
}

void ctg_wait_ends(struct ctg_thread_state *self) {
  atomic_fetch_add_explicit(&self->waits, 1, memory_order_relaxed);
  // Orders the count before the next wait's lock and the locks taken until then: who sees any of these sees it moved.
  atomic_thread_fence(memory_order_release);
}

// A piece of the wait is over.
static void look(struct ctg_thread_state *self, unsigned pieces, uint64_t *suspicion) {
  if (ctg_busy) return;
  ctg_busy++;
  int error = errno;
  if (pieces == 1) ctg_wait_note_stacks(self);
  ctg_deadlock_look(self, suspicion);
  errno = error;
  ctg_busy--;
}

int ctg_wait(struct ctg_thread_state *self, struct ctg_held *wanted, bool is_own,
             int (*wait_a_while)(void *lock, uint8_t flags, const struct timespec *limit),
             int (*wait_for_ever)(void *lock, uint8_t flags)) {
  uint64_t suspicion = 0;
  if (!is_own) ctg_wait_ask_order(self, wanted);
  ctg_wait_begins(self, wanted);
  if (is_own) ctg_deadlock_own(self);
  if (wait_for_ever && !is_own && self->depth == 0) {
    // The watching thread is awake if the owner can be one that has ended.
    int result = wait_for_ever((void *)wanted->address, wanted->flags);
    ctg_wait_ends(self);
    return result;
  }
  for (unsigned pieces = 1;; ++pieces) {
    unsigned piece = pieces < SOON ? PIECE_MS : LATER_PIECE_MS;
    struct timespec limit = after(piece);
    int result = wait_a_while((void *)wanted->address, wanted->flags, &limit);
    if (result != ETIMEDOUT) {
      ctg_wait_ends(self);
      return result;
    }
    if (!is_own) look(self, pieces, &suspicion);
  }
}
