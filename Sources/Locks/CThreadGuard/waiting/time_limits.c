// Checks other threads' stacks of locks while these threads run. A copy counts if a second copy is the same. Only the
// watching thread calls this.

#include "waiting/time_limits.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "findings/options.h"
#include "ground/pool.h"
#include "ground/said_once.h"
#include "CGround/memory.h"
#include "misuse/held_findings.h"
#include "misuse/misuse.h"

struct sample {
  uintptr_t address;
  uint64_t since;  // ms
  bool is_over;    // the limit had passed at the last look
};

struct samples {
  uint32_t serial;       // of the thread that they are of
  uint64_t waits_since;  // ms
  uint32_t waits;
  uintptr_t suspect;
  struct sample held[CTG_HELD_MAX];
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static struct samples *samples_of(const struct ctg_thread_state *state, uint32_t index) {
  static struct samples *all[CTG_THREADS_MAX];
  if (index >= CTG_THREADS_MAX || (!all[index] && !(all[index] = ctg_pages_map(sizeof **all)))) return NULL;
  if (all[index]->serial != state->serial) *all[index] = (struct samples){.serial = state->serial};
  return all[index];
}

static uint32_t depth_of(const struct ctg_thread_state *state) {
  uint32_t depth = __atomic_load_n(&state->depth, __ATOMIC_ACQUIRE);
  return depth < CTG_HELD_MAX ? depth : CTG_HELD_MAX;
}

static uint64_t place_of(const struct ctg_held *held) { return held->caller * 31 + held->second_caller; }

// --- Limits ------------------------------------------------------------------------------------------------------

static bool is_on_stack(const struct ctg_thread_state *state, uint32_t depth, uintptr_t address) {
  for (uint32_t i = 0; i < depth; ++i)
    if (state->held[i].address == address) return true;
  return false;
}

static struct sample *sample_of(struct samples *samples, uintptr_t address) {
  for (uint32_t i = 0; i < CTG_HELD_MAX; ++i)
    if (samples->held[i].address == address) return &samples->held[i];
  return NULL;
}

static void look_at_held(struct ctg_thread_state *state, struct samples *samples, struct ctg_held *held,
                         uint64_t time) {
  uintptr_t address = __atomic_load_n(&held->address, __ATOMIC_RELAXED);
  struct sample *sample = sample_of(samples, address);
  if (!ctg_held_was_sampled(held) || !sample) {
    if (!sample) sample = sample_of(samples, 0);
    if (sample) *sample = (struct sample){.address = address, .since = time};
    return;
  }
  if (time - sample->since < ctg_options.hold_limit) return;
  struct ctg_held copy = *held;
  bool was_over = sample->is_over;
  sample->is_over = true;
  bool is_same = copy.address == address && ctg_held_was_sampled(held) && held->address == address;
  if (!was_over || !is_same || !ctg_held_is_owned(state, &copy)) return;
  if (ctg_was_said(place_of(&copy) * 31 + CTG_RULE_HELD_TOO_LONG, 0)) return;
  char message[128];
  snprintf(message, sizeof message, "a lock is held for longer than %u ms; it was taken here", ctg_options.hold_limit);
  ctg_held_tell(state, &copy, CTG_RULE_HELD_TOO_LONG, "taken here", message);
}

static void look_at_wait(struct ctg_thread_state *state, struct samples *samples, uint64_t time) {
  uint32_t waits = atomic_load_explicit(&state->waits, memory_order_acquire);
  if (!(waits & 1) || waits != samples->waits) {
    samples->waits = waits;
    samples->waits_since = time;
    return;
  }
  if (time - samples->waits_since < ctg_options.wait_limit) return;
  struct ctg_held wanted;
  ctg_held_copy(&wanted, &state->wanted);
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load(&state->waits) != waits || ctg_was_said(place_of(&wanted) * 31 + CTG_RULE_WAITED_TOO_LONG, 0)) return;
  char message[128];
  snprintf(message, sizeof message, "a thread waits for a lock for longer than %u ms", ctg_options.wait_limit);
  ctg_held_tell(state, &wanted, CTG_RULE_WAITED_TOO_LONG, "waits here", message);
}

void ctg_limits_look(struct ctg_thread_state *state, uint32_t index) {
  if (!ctg_options.wait_limit && !ctg_options.hold_limit) return;
  struct samples *samples = samples_of(state, index);
  if (!samples) return;
  uint64_t time = now();
  if (ctg_options.wait_limit) look_at_wait(state, samples, time);
  if (!ctg_options.hold_limit) return;
  uint32_t depth = depth_of(state);
  for (uint32_t i = 0; i < CTG_HELD_MAX; ++i)
    if (samples->held[i].address && !is_on_stack(state, depth, samples->held[i].address))
      samples->held[i] = (struct sample){0};
  for (uint32_t i = 0; i < depth; ++i)
    if (ctg_is_lock(&state->held[i])) look_at_held(state, samples, &state->held[i], time);
}

// --- Tasks -------------------------------------------------------------------------------------------------------

// The lowest lock that a task took which is not the thread's current one.
static struct ctg_held *find_left(struct ctg_thread_state *state) {
  uint32_t depth = depth_of(state);
  uint64_t current = 0;
  const uint64_t *place = state->current_task;
  if (depth == 0 || cgr_memory_read((uintptr_t)place, &current, sizeof current) != sizeof current) return NULL;
  for (uint32_t i = 0; i < depth; ++i) {
    struct ctg_held *held = &state->held[i];
    if (ctg_is_lock(held) && state->tasks[i] && state->tasks[i] != current) return held;
  }
  return NULL;
}

// Before ctg_limits_look, because the mark that separates one taking from the next comes from the look before.
void ctg_await_look(struct ctg_thread_state *state, uint32_t index) {
  struct samples *samples = depth_of(state) ? samples_of(state, index) : NULL;
  if (!samples) return;
  struct ctg_held *found = find_left(state), left = found ? *found : (struct ctg_held){0};
  bool is_same =
      found && ctg_held_was_sampled(found) && left.address == samples->suspect && ctg_held_is_owned(state, &left);
  samples->suspect = left.address;
  // Now, and a look ago, another task ran, and the lock was held all the time.
  bool is_confirmed =
      is_same && found == find_left(state) && found->address == left.address && ctg_held_was_sampled(found);
  // The same key as where the thread itself finds out.
  if (!is_confirmed || ctg_was_said((left.address ^ (uint64_t)left.identity << 40) * 31 + 1, 0)) return;
  ctg_held_tell(state, &left, CTG_RULE_HELD_ACROSS_AWAIT, "taken here", NULL);
}
