// Run-times' own uses of locks, known by the images that the innermost functions lie in. Plain memory only.

#include "findings/tolerated_uses.h"

#include <string.h>

#include "rules.h"

enum stacks { FIRST, EVERY, ORDERS };

struct use {
  enum ctg_rule rule;
  const char *image;
  enum stacks stacks;
  size_t depth;
};

static const struct use uses[] = {
#define USE(rule, image, stacks, depth) {CTG_RULE_##rule, image, stacks, depth},
#include "tolerated_uses.def"
#undef USE
};

static bool is_named(const char *name, const char *pattern) {
  size_t fixed = strcspn(pattern, "*");
  return strncmp(name, pattern, fixed) == 0 && (pattern[fixed] || !name[fixed]);
}

static bool begins_in_image(struct ctg_stack stack, const struct use *use, const crp_images *images) {
  if (stack.count < use->depth) return false;
  for (size_t i = 0; i < use->depth; ++i) {
    const crp_image *image = crp_image_at(images, ctg_entry_place(stack.addresses[i]));
    if (!image || !is_named(crp_image_name(images, image), use->image)) return false;
  }
  return true;
}

static bool all_stacks_begin_in_image(const struct ctg_violation *violation, const struct use *use,
                                      const crp_images *images) {
  size_t count = use->stacks == FIRST && violation->stack_count ? 1 : violation->stack_count;
  for (size_t i = 0; i < count; ++i)
    if (!begins_in_image(violation->stacks[i].stack, use, images)) return false;
  return count > 0;
}

static bool all_orders_begin_in_image(const struct ctg_violation *violation, const struct use *use,
                                      const crp_images *images) {
  for (size_t i = 0; i < violation->edge_count; ++i) {
    const struct ctg_edge *edge = &violation->edges[i];
    if (!begins_in_image(edge->from_stack, use, images) || !begins_in_image(edge->to_stack, use, images)) return false;
  }
  return violation->edge_count > 0;
}

static bool is_of(const struct ctg_violation *violation, enum ctg_rule rule) {
  struct ctg_rule_facts facts = ctg_rule_facts(rule);
  return violation->kind == facts.kind && violation->code && strcmp(violation->code, facts.code) == 0;
}

bool ctg_is_tolerated_use(const struct ctg_violation *violation, const crp_images *images) {
  for (size_t i = 0; i < sizeof uses / sizeof *uses; ++i) {
    const struct use *use = &uses[i];
    if (!is_of(violation, use->rule)) continue;
    if (use->stacks == ORDERS ? all_orders_begin_in_image(violation, use, images)
                              : all_stacks_begin_in_image(violation, use, images))
      return true;
  }
  return false;
}
