// The less common ways of a thread's stack of locks. Plain memory only.

#include "locks/held.h"

#include "ground/full_tables.h"
#include "ground/slow_path.h"
#include "ground/state.h"
#include "threads/swift_tasks.h"
#include "threads/watch_bell.h"

struct ctg_held *ctg_held_find(struct ctg_thread_state *self, uintptr_t address) {
  // The thread may be another one, which goes on.
  uint32_t depth = __atomic_load_n(&self->depth, __ATOMIC_RELAXED);
  for (uint32_t i = depth < CTG_HELD_MAX ? depth : CTG_HELD_MAX; i-- > 0;)
    if (__atomic_load_n(&self->held[i].address, __ATOMIC_RELAXED) == address) return &self->held[i];
  return NULL;
}

void ctg_held_copy_callers(struct ctg_held *entry, const struct ctg_held *from) {
  entry->frame_pointer = from->frame_pointer;
  entry->caller = from->caller;
  entry->second_caller = from->second_caller;
  entry->stack_pointer = from->stack_pointer;
  entry->outer_count = from->outer_count;
  memcpy(entry->outer_callers, from->outer_callers, sizeof entry->outer_callers);
  memcpy(entry->outer_frames, from->outer_frames, sizeof entry->outer_frames);
}

void ctg_held_rehash(struct ctg_thread_state *self, uint32_t from) {
  for (uint32_t i = from; i < self->depth; ++i) {
    struct ctg_held *entry = &self->held[i];
    entry->chain = ctg_chain(ctg_chain_of(self, i), entry->address, entry->identity, entry->flags);
  }
}

void ctg_held_remove(struct ctg_thread_state *self, struct ctg_held *entry) {
  uint32_t at = (uint32_t)(entry - self->held), last = self->depth - 1;
  for (uint32_t i = at; i < last; ++i) {
    self->held[i] = self->held[i + 1];
    self->tasks[i] = self->tasks[i + 1];
  }
  __atomic_store_n(&self->depth, last, __ATOMIC_RELAXED);
  ctg_held_rehash(self, at);
}

bool ctg_held_release(struct ctg_thread_state *self, uintptr_t address) {
  struct ctg_held *entry = ctg_held_find(self, address);
  if (!entry) {
    if (!self->lost) return false;
    self->lost--;
    return true;
  }
  if (entry->again) {
    entry->again--;
  } else {
    ctg_held_remove(self, entry);
    // glibc's own function releases the lock next: who sees that the thread is not its owner sees this stack without
    // it.
    atomic_thread_fence(memory_order_release);
  }
  return true;
}

int ctg_held_overflow(struct ctg_thread_state *self) {
  self->lost++;
  ctg_limit_reached(CTG_LIMIT_HELD);
  return 0;
}

void ctg_held_slow(struct ctg_thread_state *self) {
  uint32_t reasons = ctg_slow_reasons();
  if (reasons & CTG_SLOW_WATCHER_SLEEPS) ctg_watcher_wake();
  if (reasons & CTG_SLOW_TASKS_MOVE) self->current_task = ctg_task_place();
}

// --- All threads -------------------------------------------------------------------------------------------------

void ctg_given_back(uintptr_t address) {
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (state == ctg_thread_self || !atomic_load(&state->is_live)) continue;
    struct ctg_held *held = ctg_held_find(state, address);
    if (held) __atomic_fetch_or(&held->flags, CTG_GIVEN_BACK, __ATOMIC_RELAXED);
  }
}

unsigned ctg_threads_holding(uintptr_t address) {
  unsigned count = 0;
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i)
    count += atomic_load(&state->is_live) && ctg_held_find(state, address);
  return count;
}
