// Open addressing in tables that grow eightfold; nothing is ever removed, so the first free place on an address's way
// ends the search for it. Plain memory and mmap. Async-signal-safe.

#include "locks/generations.h"

#include <stddef.h>

#include "ground/full_tables.h"
#include "ground/pool.h"

#define TABLES 4  // of 2,396,160 addresses in all
#define PLACES_A_TABLE 8u
// If every table is full, addresses share these counts: a lock that ends at one address ends the orders of others.
#define SHARED 4096u

struct ctg_generation ctg_generations[CTG_GENERATIONS];
_Atomic bool ctg_opaque_seen;

static struct ctg_generation *_Atomic tables[TABLES] = {ctg_generations};
static struct ctg_generation shared[SHARED];

static unsigned bits_of(unsigned table) { return 12 + 3 * table; }

static struct ctg_generation *table_at(unsigned number, bool makes) {
  struct ctg_generation *table = atomic_load_explicit(&tables[number], memory_order_acquire), *none = NULL;
  if (table || !makes) return table;
  size_t size = sizeof *table << bits_of(number);
  if (!(table = ctg_pages_map(size))) return NULL;
  if (atomic_compare_exchange_strong_explicit(&tables[number], &none, table, memory_order_acq_rel,
                                              memory_order_acquire))
    return table;
  ctg_pages_unmap(table, size);
  return none;
}

/// Returns the place of an address. If the address has none, it takes one, or returns NULL without `takes`. If a table
/// is missing, no lock needed it, or memory ran out.
static struct ctg_generation *place_of(uintptr_t address, bool takes) {
  uint64_t hash = ctg_generation_hash(address);
  for (unsigned number = 0; number < TABLES; ++number) {
    struct ctg_generation *table = table_at(number, takes);
    if (!table) break;
    uint64_t mask = (1u << bits_of(number)) - 1, start = hash >> (64 - bits_of(number));
    for (unsigned i = 0; i < PLACES_A_TABLE; ++i) {
      struct ctg_generation *place = &table[(start + i) & mask];
      uintptr_t there = atomic_load_explicit(&place->address, memory_order_relaxed);
      if (there == 0) {
        if (!takes) return NULL;
        if (atomic_compare_exchange_strong_explicit(&place->address, &there, address, memory_order_relaxed,
                                                    memory_order_relaxed))
          return place;
      }
      if (there == address) return place;
    }
  }
  if (takes) ctg_limit_reached(CTG_LIMIT_LOCKS);
  return &shared[hash >> 52];
}

uint32_t ctg_generation_elsewhere(uintptr_t address) {
  if (__builtin_expect(!atomic_load_explicit(&ctg_opaque_seen, memory_order_relaxed), 0)) ctg_opaque_seen = true;
  return atomic_load_explicit(&place_of(address, true)->count, memory_order_relaxed);
}

void ctg_generation_ends(uintptr_t address) {
  struct ctg_generation *place = place_of(address, false);
  if (place) atomic_fetch_add_explicit(&place->count, 1, memory_order_relaxed);
}
