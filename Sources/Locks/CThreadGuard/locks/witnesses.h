#pragma once
// The evidence for each order "while one lock was held, another was taken": the threads, the places and the other held
// locks. It shows a gate that keeps two orders apart, and orders of only one thread. The caller must hold the engine's
// lock.

#include <stdbool.h>
#include <stdint.h>

#include "violation.h"

#pragma GCC visibility push(hidden)

#define CTG_GATES_MAX 14u

struct ctg_witness {
  uint32_t next;
  uint32_t thread_serial;
  struct ctg_thread thread;
  uint32_t from_stack, to_stack;
  bool from_is_shared, to_is_shared;
  uint8_t gate_count;
  /// What else was held: the record's serial, its number, and in the lowest bit whether it was held shared.
  uint64_t gates[CTG_GATES_MAX];
};

struct ctg_witness *ctg_witness_at(uint32_t number);

/// Whether an edge needs no further witness like this one: the same modes, nothing held besides that this one has not,
/// and two threads that did so, or this one.
bool ctg_witness_is_known(uint32_t first, const struct ctg_witness *witness);

/// Adds a witness to an edge's list and takes out those that it makes superfluous. False when there is no room.
bool ctg_witness_add(uint32_t *first, const struct ctg_witness *witness);

/// Whether two orders exclude each other in time: a lock was held along with both, not shared by both.
bool ctg_witnesses_share_gate(const struct ctg_witness *one, const struct ctg_witness *other);

/// Gives back a list.
void ctg_witnesses_forget(uint32_t first);

#pragma GCC visibility pop
