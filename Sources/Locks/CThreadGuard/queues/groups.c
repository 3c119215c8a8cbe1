// Groups as locks. System calls and plain memory only, until something is wrong.

#include "queues/groups.h"

#include "findings/options.h"
#include "locks/held.h"
#include "locks/records.h"
#include "misuse/misuse.h"
#include "order/posts.h"
#include "threads/watch_bell.h"
#include "waiting/waits.h"

// Above every stack: none of the present one's frames is taken for one of those that handed the work over.
#define NO_STACK (UINTPTR_MAX - 63)

struct ctg_thread_state *ctg_groups_self(void) {
  return ctg_options.groups ? ctg_self() : NULL;
}

static struct ctg_held place_of(uintptr_t group, const uintptr_t *frame) {
  struct ctg_held place = ctg_place(group, CTG_GROUP, CTG_LOCK_IS_OPAQUE, frame);
  place.identity = ctg_generation(group);
  return place;
}

void ctg_group_wait_begins(struct ctg_thread_state *self, uintptr_t group, const uintptr_t *frame) {
  struct ctg_held wanted = place_of(group, frame);
  ctg_wait_ask_order(self, &wanted);
  ctg_wait_begins(self, &wanted);
  ctg_watcher_needed();
}

void ctg_group_left(struct ctg_thread_state *self, uintptr_t group, const uintptr_t *frame) {
  struct ctg_held place = place_of(group, frame);
  ctg_post_ask_order(self, &place);
}

void *ctg_group_work_begins(void *group, const uintptr_t frames[2]) {
  struct ctg_thread_state *self = group ? ctg_groups_self() : NULL;
  if (!self || ctg_held_find(self, (uintptr_t)group)) return NULL;
  const uintptr_t nowhere[2] = {0, 0};
  uint8_t flags = CTG_LOCK_IS_OPAQUE | CTG_TAKEN_BY_TRY | CTG_TAKEN_SHARED;
  struct ctg_held *held =
      ctg_held_push(self, (uintptr_t)group, CTG_GROUP, flags, ctg_generation((uintptr_t)group), nowhere);
  if (!held) return NULL;
  held->caller = frames[0];
  held->second_caller = frames[1];
  held->stack_pointer = held->frame_pointer = NO_STACK;
  return group;
}

void ctg_group_work_ends(void *group) {
  struct ctg_thread_state *self = group ? ctg_self() : NULL;
  if (self && !ctg_held_pop(self, (uintptr_t)group)) ctg_held_release(self, (uintptr_t)group);
}
