#pragma once
// Counts the locks that were at an address one after the other, for locks into which no number can be written:
// spinlocks, queues, groups, semaphores, and robust, priority-inheriting and process-shared mutexes. Each address has
// its own count, independent of other addresses. From any thread, without a lock. Async-signal-safe.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct ctg_generation {
  _Atomic uintptr_t address;  // never changes once it is not 0
  _Atomic uint32_t count;
};

#define CTG_GENERATIONS 4096u
extern struct ctg_generation ctg_generations[CTG_GENERATIONS];

/// Whether any lock or queue was seen that no number can be written into, in company or not.
extern _Atomic bool ctg_opaque_seen;

// Multiplies by 2^64 over the golden ratio, and leaves the top bits (Knuth, The Art of Computer Programming, 6.4).
static inline uint64_t ctg_generation_hash(uintptr_t address) { return address * 0x9e3779b97f4a7c15u; }

/// The same for an address that does not stand at its first place.
uint32_t ctg_generation_elsewhere(uintptr_t address);

/// Separates the locks at one address, if nothing can be written into them.
static inline uint32_t ctg_generation(uintptr_t address) {
  struct ctg_generation *first = &ctg_generations[ctg_generation_hash(address) >> 52];
  if (__builtin_expect(atomic_load_explicit(&first->address, memory_order_relaxed) == address, 1))
    return atomic_load_explicit(&first->count, memory_order_relaxed);
  return ctg_generation_elsewhere(address);
}

/// Counts that the program destroyed the lock at this address, or initialised it again. If no code ever asked for the
/// address's count, nothing happens.
void ctg_generation_ends(uintptr_t address);

#pragma GCC visibility pop
