// Run-times' own uses of locks, known by the image that the innermost function lies in. Plain memory only.

#include "findings/tolerated_uses.h"
#include "rules.h"

#include <string.h>

static bool is_in(struct ctg_stack stack, const crp_images *images, const char *name) {
  const crp_image *image = stack.count ? crp_image_at(images, ctg_entry_place(stack.addresses[0])) : NULL;
  return image && strcmp(crp_image_name(images, image), name) == 0;
}

static bool all_stacks_are_in(const struct ctg_violation *violation, const crp_images *images, const char *name) {
  for (size_t i = 0; i < violation->stack_count; ++i)
    if (!is_in(violation->stacks[i].stack, images, name)) return false;
  return violation->stack_count > 0;
}

static bool all_orders_are_in(const struct ctg_violation *violation, const crp_images *images, const char *name) {
  for (size_t i = 0; i < violation->edge_count; ++i) {
    const struct ctg_edge *edge = &violation->edges[i];
    if (!is_in(edge->from_stack, images, name) || !is_in(edge->to_stack, images, name)) return false;
  }
  return violation->edge_count > 0;
}

// Foundation's own use of a lock, and not that of a caller of NSLock or NSCondition: these are one function deep.
static bool is_foundations_own(const struct ctg_violation *violation, const crp_images *images) {
  if (violation->stack_count == 0 || violation->stacks[0].stack.count < 2) return false;
  struct ctg_stack here = violation->stacks[0].stack, caller = {here.addresses + 1, here.count - 1};
  return is_in(here, images, "libFoundation.so") && is_in(caller, images, "libFoundation.so");
}

static bool is_of(const struct ctg_violation *violation, enum ctg_rule rule) {
  struct ctg_rule_facts facts = ctg_rule_facts(rule);
  return violation->kind == facts.kind && violation->code && strcmp(violation->code, facts.code) == 0;
}

bool ctg_is_tolerated_use(const struct ctg_violation *violation, const crp_images *images) {
  bool waits = is_of(violation, CTG_RULE_WAIT_WHILE_HOLDING_LOCK);
  // Process.run waits for its thread under a lock of its own; a run loop that stops on a thread of a pool unlocks
  // twice.
  if ((waits || is_of(violation, CTG_RULE_DOUBLE_UNLOCK)) && is_foundations_own(violation, images)) return true;
  // HotSpot stops the world under a lock of its own, and ends so; it waits for its monitors in the order of their
  // ranks.
  if (waits || is_of(violation, CTG_RULE_THREAD_ENDS_WITH_LOCK))
    return all_stacks_are_in(violation, images, "libjvm.so");
  // The Swift runtime's queues of waiters for generic metadata: the second lock is that of a queue which no other
  // thread can see yet (AtomicWaitQueue).
  if (violation->kind == CTG_LOCK_ORDER_INVERSION) return all_orders_are_in(violation, images, "libswiftCore.so");
  return false;
}
