#pragma once
// The locks with a known order, by address and by a number that distinguishes locks at the same address; and their
// classes. The caller must hold the engine's lock.
//
// A number of ours stands in bytes that glibc leaves unused: 24 to 27 of a pthread_mutex_t, 16 to 19 of a
// pthread_rwlock_t. Initialising a lock clears them, so that a lock that was freed without being destroyed, and another
// at its address, are two. For robust, priority-inheriting and process-shared ones, and all other kinds, generations.h
// counts the inits and destroys at each address.

#include "locks/generations.h"
#include "locks/graph.h"
#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

struct ctg_record {
  uint32_t next_in_bucket;
  uint32_t node;
  uint32_t serial;    // used once, unlike numbers
  uintptr_t address;  // 0 for a class
  uint32_t identity;
  uint32_t class_record;  // 0 if it has no name
  uint32_t origin;        // a kept stack: where it was made, or first seen in company
  const char *name;       // of a class; a queue's label
  uint8_t type;           // enum ctg_lock_type
  uint8_t flags;          // CTG_LOCK_…
  bool is_seen;           // and not only named
};

extern struct ctg_graph ctg_graph;

struct ctg_record *ctg_record_at(uint32_t number);

/// The record of a lock that is held or being taken, made if need be; its identity is put into `held`. 0 when full.
uint32_t ctg_record_of(struct ctg_held *held);

/// The record at an address, of whatever identity; or 0.
uint32_t ctg_record_find(uintptr_t address);

/// The same in at most `steps`, without the engine's lock. Async-signal-safe.
uint32_t ctg_record_find_bounded(uintptr_t address, unsigned steps);

/// The lock at this address is gone, or made anew.
void ctg_record_forget(uintptr_t address);

/// Puts the lock at an address into the class of this name. False when full.
bool ctg_record_name(uintptr_t address, enum ctg_lock_type type, const char *name);

/// Gives a queue's record its label.
void ctg_record_label(uint32_t number, const char *label);

// What was held besides is kept as a gate: the serial and the number of its record, and whether it was held shared.

static inline uint64_t ctg_gate(uint32_t record, bool is_shared) {
  return (uint64_t)ctg_record_at(record)->serial << 32 | record << 1 | is_shared;
}

/// The record of a gate, or 0 if that lock is gone.
static inline uint32_t ctg_gate_record(uint64_t gate) {
  uint32_t record = (uint32_t)gate >> 1;
  return ctg_record_at(record)->serial == gate >> 32 ? record : 0;
}

/// How many locks, and how many orders between two, are known.
uint32_t ctg_records_count(void);

/// The number that was last written into a lock: how many have been seen.
extern _Atomic uint32_t ctg_last_identity;

/// How many locks were seen in company that no number can be written into.
extern _Atomic uint32_t ctg_opaque_locks;

/// Reads the number in a lock that the thread has just taken, and writes one if there is none yet.
static inline uint32_t ctg_identity_in(unsigned *place) {
  uint32_t identity = __atomic_load_n(place, __ATOMIC_RELAXED), none = 0;
  if (__builtin_expect(identity != 0, 1)) return identity;
  identity = atomic_fetch_add_explicit(&ctg_last_identity, 1, memory_order_relaxed) + 1;
  // Readers may come together.
  return __atomic_compare_exchange_n(place, &none, identity, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? identity
                                                                                                        : none;
}

#pragma GCC visibility pop
