#pragma once
// What was seen of each order "while one lock was held, another was taken": by which threads, where, and with what else
// held, so that a gate that keeps two orders apart is known, and what only one thread ever did. Called with the
// engine's lock.

#include "records.h"

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

static inline uint64_t ctg_gate(uint32_t record, bool is_shared) {
  return (uint64_t)ctg_record_at(record)->serial << 32 | record << 1 | is_shared;
}

/// The record of a gate, or 0 where that lock is gone.
static inline uint32_t ctg_gate_record(uint64_t gate) {
  uint32_t record = (uint32_t)gate >> 1;
  return ctg_record_at(record)->serial == gate >> 32 ? record : 0;
}

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
