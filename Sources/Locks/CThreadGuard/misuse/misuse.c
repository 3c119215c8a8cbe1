// Misuse of locks, reported as violations.

#include "misuse/misuse.h"

#include <errno.h>

#include "ground/engine_lock.h"
#include "ground/said_once.h"
#include "ground/state.h"
#include "ground/work_stack.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "locks/records.h"
#include "locks/stacks.h"
#include "violations.h"

struct ctg_held ctg_place(uintptr_t address, enum ctg_lock_type type, uint8_t flags, const uintptr_t *frame) {
  struct ctg_held place = {.address = address, .type = (uint8_t)type, .flags = flags};
  ctg_held_note_callers(&place, frame);
  return place;
}

// Where a lock was taken, and by whom: on another thread no more is known than what was noted then.
struct taking {
  const struct ctg_held *held;
  const struct ctg_thread_state *thread;
  bool is_first;  // it is the mistake
};

static void add_taking(struct ctg_violation *violation, struct ctg_labelled_stack *stacks, struct taking taking,
                       const struct ctg_walk *walk, uintptr_t *addresses) {
  size_t at = violation->stack_count++;
  if (taking.is_first) stacks[at--] = stacks[0];
  stacks[at] = (struct ctg_labelled_stack){.label = "taken here"};
  if (taking.thread == ctg_thread_self) {
    stacks[at].thread = ctg_thread_description(taking.thread);
    stacks[at].stack = (struct ctg_stack){addresses, ctg_stack_of_taking(taking.held, walk, addresses)};
  } else {
    stacks[at].thread = ctg_thread_named(taking.thread);
    stacks[at].stack = ctg_stack_noted(taking.held, addresses);
  }
}

struct mistake {
  struct ctg_thread_state *self;
  const struct ctg_held *where;
  struct taking taking;
  enum ctg_rule rule;
  const char *message;
};

static void tell_mistake(void *argument) {
  const struct mistake *mistake = argument;
  struct ctg_walk walk;
  ctg_walk_from(mistake->where, &walk);
  uintptr_t taken[CTG_STACK_MAX];
  ctg_engine_lock();
  struct ctg_lock lock = ctg_lock_described(mistake->where);
  ctg_engine_unlock();
  struct ctg_labelled_stack stacks[2] = {
      {.label = "here", .thread = ctg_thread_description(mistake->self), .stack = {walk.addresses, walk.count}}};
  struct ctg_violation violation = ctg_violation_of(mistake->rule, mistake->message);
  violation.locks = &lock;
  violation.stacks = stacks;
  violation.lock_count = violation.stack_count = 1;
  if (mistake->taking.held) add_taking(&violation, stacks, mistake->taking, &walk, taken);
  ctg_violation_report(&violation);
}

static void tell(struct ctg_thread_state *self, const struct ctg_held *where, struct taking taking, enum ctg_rule rule,
                 const char *message) {
  const struct ctg_held *held_at = taking.held;
  uint64_t key = (where->caller * 31 + where->second_caller) * 31 + rule;
  if (held_at) key = (key * 31 + held_at->caller) * 31 + held_at->second_caller;
  if (ctg_busy || ctg_was_said(key, 0)) return;
  ctg_busy++;
  int error = errno;
  struct mistake mistake = {self, where, taking, rule, message};
  ctg_on_work_stack(tell_mistake, &mistake);
  errno = error;
  ctg_busy--;
}

void ctg_misuse(struct ctg_thread_state *self, const struct ctg_held *where, const struct ctg_held *held_at,
                enum ctg_rule rule, const char *message) {
  tell(self, where, (struct taking){held_at, self, false}, rule, message);
}

// Of any other thread.
static struct taking find_taking(const struct ctg_thread_state *self, uintptr_t address, struct ctg_held *copy) {
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (state == self || !atomic_load(&state->is_live)) continue;
    const struct ctg_held *held = ctg_held_find(state, address);
    if (!held || !ctg_has_still(held)) continue;
    *copy = *held;
    return (struct taking){copy, state, true};
  }
  return (struct taking){0};
}

// One mistake, wherever and however often it shows.
void ctg_held_across_await(struct ctg_thread_state *self, const struct ctg_held *where, const struct ctg_held *held_at,
                           const char *message) {
  if (ctg_busy || ctg_was_said((where->address ^ (uint64_t)where->identity << 40) * 31 + 1, 0)) return;
  struct ctg_held copy;
  struct taking taking = held_at ? (struct taking){held_at, self, true} : find_taking(self, where->address, &copy);
  tell(self, where, taking, CTG_RULE_HELD_ACROSS_AWAIT, message);
}

// What a task still holds while its thread runs other work.
void ctg_held_by_other_task(struct ctg_thread_state *self, const struct ctg_held *taken) {
  size_t at = (size_t)(taken - self->held);
  for (size_t i = 0; i < at; ++i) {
    struct ctg_held before = self->held[i];
    if (self->tasks[i] == 0 || self->tasks[i] == self->tasks[at] || !ctg_is_lock(&before) || !ctg_has_still(&before))
      continue;
    struct ctg_held place = *taken;
    place.address = before.address;
    place.identity = before.identity;
    place.type = before.type;
    ctg_held_across_await(self, &place, &before, NULL);
  }
}

void ctg_lock_renewed(uintptr_t address) {
  ctg_busy++;
  ctg_engine_lock();
  ctg_record_forget(address);
  ctg_engine_unlock();
  ctg_busy--;
}

void ctg_lock_made(struct ctg_thread_state *self, const struct ctg_held *place, enum ctg_lock_use use) {
  struct ctg_held *held = self->depth ? ctg_held_find(self, place->address) : NULL;
  if (held) {
    struct ctg_held taken = *held;
    ctg_held_remove(self, held);
    // What is locked for a fork may be made anew in the child.
    if (use != CTG_IS_FREE && ctg_has_still(&taken) && !(taken.flags & CTG_TAKEN_BEFORE_FORK))
      ctg_misuse(self, place, &taken, CTG_RULE_INITIALISED_WHILE_HELD, NULL);
  }
  ctg_lock_renewed(place->address);
}

void ctg_lock_destroyed(struct ctg_thread_state *self, const struct ctg_held *place, enum ctg_lock_use use) {
  struct ctg_held *held = ctg_held_find(self, place->address);
  bool has = held && ctg_has_still(held) && use != CTG_IS_FREE;
  if (use == CTG_IS_IN_USE || has) {
    struct ctg_held taken;
    if (has) taken = *held;
    ctg_misuse(self, place, has ? &taken : NULL, CTG_RULE_DESTROYED_WHILE_HELD, NULL);
  }
  if (use == CTG_IS_IN_USE) {
    // Reported once: nothing that becomes of it is another mistake.
    if (held) held->flags |= CTG_GIVEN_BACK;
    return;
  }
  if (held) ctg_held_remove(self, held);
  ctg_lock_renewed(place->address);
}
