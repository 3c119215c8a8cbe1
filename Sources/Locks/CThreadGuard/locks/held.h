#pragma once
// The stack of locks that a thread holds. It has no rules: company.h checks the order of locks.

#include <string.h>

#include "CGround/return_address.h"
#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// The entry of a lock in the thread's stack, or NULL.
struct ctg_held *ctg_held_find(struct ctg_thread_state *self, uintptr_t address);

/// Makes the hashes from place `from` on again.
void ctg_held_rehash(struct ctg_thread_state *self, uint32_t from);

/// Takes an entry out, wherever it stands.
void ctg_held_remove(struct ctg_thread_state *self, struct ctg_held *entry);

/// No place for another lock. Returns 0.
int ctg_held_overflow(struct ctg_thread_state *self);

/// What the slow way does before it puts a lock on the stack.
void ctg_held_slow(struct ctg_thread_state *self);

#define CTG_HASH_START 0x9e3779b97f4a7c15u
#define CTG_HASH_FACTOR 0xd6e8feb86659fd93u

static inline uint64_t ctg_chain(uint64_t below, uintptr_t address, uint32_t identity, uint8_t flags) {
  uint64_t link = address ^ (uint64_t)identity << 40 ^ (uint64_t)(flags & CTG_TAKEN_SHARED) << 63;
  return (below ^ link) * CTG_HASH_FACTOR;
}

static inline bool ctg_chain_is_known(const struct ctg_thread_state *self, uint64_t chain) {
  const uint64_t *set = self->chains[chain >> (64 - CTG_CHAIN_BITS)];
  _Static_assert(CTG_CHAIN_WAYS == 4, "each of them is compared");
  if (__builtin_expect(set[0] == chain, 1)) return true;
  return set[1] == chain || set[2] == chain || set[3] == chain;
}

/// Such a stack of locks need not be looked at again, until four others of its set have come.
static inline void ctg_chain_keep(struct ctg_thread_state *self, uint64_t chain) {
  uint64_t *set = self->chains[chain >> (64 - CTG_CHAIN_BITS)];
  for (int way = CTG_CHAIN_WAYS - 1; way > 0; --way) set[way] = set[way - 1];
  set[0] = chain;
}

/// The hash of the lowest `count` locks.
static inline uint64_t ctg_chain_of(const struct ctg_thread_state *self, uint32_t count) {
  if (count > 1) return self->held[count - 1].chain;
  const struct ctg_held *lowest = self->held;
  return count ? ctg_chain(CTG_HASH_START, lowest->address, lowest->identity, lowest->flags) : CTG_HASH_START;
}

/// Notes where a lock is taken. frame[0] is the caller's frame pointer, where it keeps one, and frame[1] where it goes
/// on.
static inline __attribute__((always_inline)) void ctg_held_note_callers(struct ctg_held *entry,
                                                                        const uintptr_t *frame) {
  // Both were pushed a moment ago: read at once as one, they would have to come back from the cache.
  uintptr_t pointer = *(const volatile uintptr_t *)&frame[0], start = (uintptr_t)frame;
  entry->frame_pointer = pointer;
  entry->caller = cgr_without_signature(*(const volatile uintptr_t *)&frame[1]);
  entry->stack_pointer = start + 2 * sizeof(uintptr_t);
  uintptr_t second = 0;
  uint8_t count = 0;
  if (pointer - start < CTG_NOTED_BYTES) {
    second = cgr_without_signature(((const uintptr_t *)pointer)[1]);
    for (; count < CTG_OUTER_CALLERS; ++count) {
      uintptr_t next = *(const uintptr_t *)pointer;
      if (next <= pointer || next - start >= CTG_NOTED_BYTES) break;
      entry->outer_callers[count] = cgr_without_signature(((const uintptr_t *)next)[1]);
      entry->outer_frames[count] = (uint16_t)(next - start);
      pointer = next;
    }
  }
  entry->second_caller = second;
  entry->outer_count = count;
}

/// Notes that a lock was taken where another one was.
void ctg_held_copy_callers(struct ctg_held *entry, const struct ctg_held *from);

/// Puts a lock on the stack; NULL if there is no place. The address comes first, for signal handlers that lock.
static inline __attribute__((always_inline)) struct ctg_held *ctg_held_push(struct ctg_thread_state *self,
                                                                            uintptr_t address, enum ctg_lock_type type,
                                                                            uint8_t flags, uint32_t identity,
                                                                            const uintptr_t *frame) {
  uint32_t depth = self->depth;
  if (__builtin_expect(depth == CTG_HELD_MAX, 0)) return NULL;
  struct ctg_held *entry = &self->held[depth];
  __atomic_store_n(&self->depth, depth + 1, __ATOMIC_RELAXED);
  atomic_signal_fence(memory_order_seq_cst);
  __atomic_store_n(&entry->address, address, __ATOMIC_RELAXED);
  atomic_signal_fence(memory_order_seq_cst);
  uint64_t word = identity | (uint64_t)type << 48 | (uint64_t)flags << 56;
  memcpy(&entry->identity, &word, sizeof word);
  self->tasks[depth] = *self->current_task;
  ctg_held_note_callers(entry, frame);
  return entry;
}

/// Takes the last lock off the stack. False if it is another one.
static inline bool ctg_held_pop(struct ctg_thread_state *self, uintptr_t address) {
  uint32_t depth = self->depth;
  if (__builtin_expect(depth == 0, 0)) return false;
  struct ctg_held *entry = &self->held[depth - 1];
  if (__builtin_expect(entry->address != address || entry->again, 0)) return false;
  __atomic_store_n(&self->depth, depth - 1, __ATOMIC_RELAXED);
  return true;
}

/// The same of a lock that no thread can have twice.
static inline bool ctg_held_pop_once(struct ctg_thread_state *self, uintptr_t address) {
  uint32_t depth = self->depth;
  if (__builtin_expect(depth == 0 || self->held[depth - 1].address != address, 0)) return false;
  __atomic_store_n(&self->depth, depth - 1, __ATOMIC_RELAXED);
  return true;
}

/// Releases a lock that is not the last one. False if the thread is not known to hold it.
bool ctg_held_release(struct ctg_thread_state *self, uintptr_t address);

/// The calling thread unlocks what other threads took: they count as its holders no longer. glibc's read-write lock
/// does not notice, and stays as it is.
void ctg_given_back(uintptr_t address);

/// How many threads are known to hold a lock.
unsigned ctg_threads_holding(uintptr_t address);

#pragma GCC visibility pop
