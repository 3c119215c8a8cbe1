// Witnesses of orders. Plain memory only.

#include "locks/witnesses.h"

#include "ground/pool.h"

#define WITNESSES_MAX 1000000u
#define WITNESSES_OF_EDGE 16

static struct ctg_pool witnesses = {.item_size = sizeof(struct ctg_witness), .limit = WITNESSES_MAX};

struct ctg_witness *ctg_witness_at(uint32_t number) {
  return ctg_pool_at(&witnesses, number);
}

// Whether all that `few` had besides, `many` had too, at least as exclusively.
static bool gates_are_within(const struct ctg_witness *few, const struct ctg_witness *many) {
  for (unsigned i = 0; i < few->gate_count; ++i) {
    bool is_there = false;
    for (unsigned j = 0; j < many->gate_count && !is_there; ++j)
      is_there = many->gates[j] == few->gates[i] || many->gates[j] == (few->gates[i] & ~(uint64_t)1);
    if (!is_there) return false;
  }
  return true;
}

// Whether one exclusive taking stands for the other in every cycle.
static bool covers(const struct ctg_witness *one, const struct ctg_witness *other) {
  return one->from_is_shared <= other->from_is_shared && one->to_is_shared <= other->to_is_shared
         && gates_are_within(one, other);
}

bool ctg_witness_is_known(uint32_t first, const struct ctg_witness *witness) {
  uint32_t other_thread = 0;
  for (uint32_t number = first; number; number = ctg_witness_at(number)->next) {
    const struct ctg_witness *known = ctg_witness_at(number);
    if (!covers(known, witness)) continue;
    if (known->thread_serial == witness->thread_serial) return true;
    if (other_thread && other_thread != known->thread_serial) return true;
    other_thread = known->thread_serial;
  }
  return false;
}

bool ctg_witness_add(uint32_t *first, const struct ctg_witness *witness) {
  unsigned count = 0;
  for (uint32_t *at = first; *at;) {
    struct ctg_witness *known = ctg_witness_at(*at);
    if (known->thread_serial == witness->thread_serial && covers(witness, known)) {
      uint32_t gone = *at;
      *at = known->next;
      ctg_pool_give_back(&witnesses, gone);
      continue;
    }
    count++;
    at = &known->next;
  }
  if (count == WITNESSES_OF_EDGE) return true;
  uint32_t number = ctg_pool_take(&witnesses);
  if (!number) return false;
  struct ctg_witness *added = ctg_witness_at(number);
  *added = *witness;
  added->next = *first;
  *first = number;
  return true;
}

bool ctg_witnesses_share_gate(const struct ctg_witness *one, const struct ctg_witness *other) {
  for (unsigned i = 0; i < one->gate_count; ++i)
    for (unsigned j = 0; j < other->gate_count; ++j)
      if (one->gates[i] >> 1 == other->gates[j] >> 1 && !(one->gates[i] & other->gates[j] & 1)) return true;
  return false;
}

void ctg_witnesses_forget(uint32_t first) {
  while (first) {
    uint32_t next = ctg_witness_at(first)->next;
    ctg_pool_give_back(&witnesses, first);
    first = next;
  }
}
