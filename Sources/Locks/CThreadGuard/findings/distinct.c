// The violations that have been seen. Calls nothing.

#include "findings/distinct.h"

#include <stddef.h>

#define PLACES 16384  // a power of two, and twice what is ever in them

static struct place {
  uint64_t fingerprint;  // 0 if it is free
  int rule;
} places[PLACES];
static size_t used;

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text) {
  for (; text && *text; ++text) hash = mix(hash, (uint8_t)*text);
  return mix(hash, 0x100);
}

static uint64_t mix_stack(uint64_t hash, const struct ctg_stack *stack) {
  for (size_t i = 0; i < stack->count; ++i) hash = mix(hash, stack->addresses[i]);
  return mix(hash, stack->count);
}

uint64_t ctg_fingerprint(const struct ctg_violation *violation) {
  uint64_t hash = mix(1, violation->kind);
  hash = mix_text(hash, violation->code);
  hash = mix_text(hash, violation->file);
  hash = mix(hash, violation->line);
  for (size_t i = 0; i < violation->edge_count; ++i) {
    hash = mix_stack(hash, &violation->edges[i].from_stack);
    hash = mix_stack(hash, &violation->edges[i].to_stack);
  }
  for (size_t i = 0; i < violation->stack_count; ++i) hash = mix_stack(hash, &violation->stacks[i].stack);
  return hash ? hash : 1;
}

static struct place *place_of(uint64_t fingerprint) {
  size_t at = fingerprint % PLACES;
  while (places[at].fingerprint != 0 && places[at].fingerprint != fingerprint) at = (at + 1) % PLACES;
  return &places[at];
}

enum ctg_sighting ctg_distinct_find(uint64_t fingerprint, int *rule) {
  const struct place *place = place_of(fingerprint);
  if (place->fingerprint == 0) return used < PLACES / 2 ? CTG_NEW : CTG_SEEN;
  *rule = place->rule;
  return place->rule < 0 ? CTG_SEEN : CTG_SILENCED;
}

void ctg_distinct_add(uint64_t fingerprint, int rule) {
  struct place *place = place_of(fingerprint);
  place->fingerprint = fingerprint;
  place->rule = rule;
  ++used;
}

void ctg_distinct_forget(void) {
  for (size_t i = 0; i < PLACES; ++i) places[i].fingerprint = 0;
  used = 0;
}
