// Violations kept in memory until the program takes them. System calls only, except what the program is called with.
//
// Two halves: one is filled while the other is being read, so that no lock is held while the program's code runs.

#include "violation_store.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "accounts.h"
#include "ground/own_lock.h"
#include "CGround/mapping.h"
#include "CGround/syscalls.h"

#define HALF_SIZE (4u * 1024 * 1024)

struct record {
  struct record *next;
  struct ctg_violation violation;
};

struct half {
  unsigned char *memory;
  size_t used;
  struct record *first, *last;
};

static struct half halves[2];
static int filled;  // which of them is
static size_t omitted;
static struct ctg_own_lock filling, taking;
static _Atomic bool listening;
static _Atomic uint32_t kept;  // changes with each violation that is kept; the listener waits for that

static void *allocate(struct half *half, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (!half->memory) {
    long memory = cgr_map_apart(HALF_SIZE);
    if (cgr_syscall_failed(memory)) return NULL;
    half->memory = (unsigned char *)memory;
  }
  if (size > HALF_SIZE - half->used) return NULL;
  void *place = half->memory + half->used;
  half->used += size;
  return place;
}

// Each copies what a pointer leads to and turns the pointer there; false if there is no room.

static bool copy_bytes(struct half *half, const void **pointer, size_t size) {
  if (!*pointer || size == 0) return true;
  void *place = allocate(half, size);
  if (!place) return false;
  memcpy(place, *pointer, size);
  *pointer = place;
  return true;
}

static bool copy_text(struct half *half, const char **text) {
  return !*text || copy_bytes(half, (const void **)text, strlen(*text) + 1);
}

static bool copy_stack(struct half *half, struct ctg_stack *stack) {
  return copy_bytes(half, (const void **)&stack->addresses, stack->count * sizeof *stack->addresses);
}

static bool copy_locks(struct half *half, struct ctg_violation *violation) {
  if (!copy_bytes(half, (const void **)&violation->locks, violation->lock_count * sizeof *violation->locks))
    return false;
  struct ctg_lock *locks = (struct ctg_lock *)violation->locks;
  for (size_t i = 0; i < violation->lock_count; ++i)
    if (!copy_text(half, &locks[i].name) || !copy_stack(half, &locks[i].origin)) return false;
  return true;
}

static bool copy_edges(struct half *half, struct ctg_violation *violation) {
  if (!copy_bytes(half, (const void **)&violation->edges, violation->edge_count * sizeof *violation->edges))
    return false;
  struct ctg_edge *edges = (struct ctg_edge *)violation->edges;
  for (size_t i = 0; i < violation->edge_count; ++i) {
    struct ctg_edge *edge = &edges[i];
    if (!copy_stack(half, &edge->from_stack) || !copy_stack(half, &edge->to_stack)) return false;
    if (!copy_bytes(half, (const void **)&edge->held, edge->held_count * sizeof *edge->held)) return false;
  }
  return true;
}

static bool copy_stacks(struct half *half, struct ctg_violation *violation) {
  if (!copy_bytes(half, (const void **)&violation->stacks, violation->stack_count * sizeof *violation->stacks))
    return false;
  struct ctg_labelled_stack *stacks = (struct ctg_labelled_stack *)violation->stacks;
  for (size_t i = 0; i < violation->stack_count; ++i)
    if (!copy_text(half, &stacks[i].label) || !copy_stack(half, &stacks[i].stack)) return false;
  return true;
}

static bool copy_violation(struct half *half, struct ctg_violation *violation) {
  return copy_text(half, &violation->code) && copy_text(half, &violation->message)
         && copy_text(half, &violation->expected) && copy_text(half, &violation->actual)
         && copy_text(half, &violation->function) && copy_text(half, &violation->file) && copy_locks(half, violation)
         && copy_edges(half, violation) && copy_stacks(half, violation);
}

bool ctg_store_keep(const struct ctg_violation *violation) {
  if (!ctg_own_lock_take(&filling)) return false;
  struct half *half = &halves[filled];
  size_t before = half->used;
  struct record *record = allocate(half, sizeof *record);
  bool done = record != NULL;
  if (done) {
    *record = (struct record){.next = NULL, .violation = *violation};
    record->violation.account = ctg_current_account();
    done = copy_violation(half, &record->violation);
  }
  if (done) {
    if (half->last)
      half->last->next = record;
    else
      half->first = record;
    half->last = record;
  } else {
    half->used = before;
    ++omitted;
  }
  atomic_fetch_add(&kept, 1);
  ctg_own_lock_release(&filling);
  if (atomic_load(&listening)) cgr_syscall3(SYS_futex, &kept, FUTEX_WAKE_PRIVATE, 1);
  return done;
}

size_t ctg_take_violations(void (*visit)(const struct ctg_violation *, void *), void *context) {
  if (!ctg_own_lock_take(&taking)) return 0;
  if (!ctg_own_lock_take(&filling)) {
    ctg_own_lock_release(&taking);
    return 0;
  }
  struct half *half = &halves[filled];
  size_t lost = omitted;
  omitted = 0;
  filled = 1 - filled;
  ctg_own_lock_release(&filling);
  for (const struct record *record = half->first; record; record = record->next) visit(&record->violation, context);
  half->first = half->last = NULL;
  half->used = 0;
  ctg_own_lock_release(&taking);
  return lost;
}

bool ctg_program_listens(void) { return atomic_load(&listening); }
void ctg_listen(bool wanted) { atomic_store(&listening, wanted); }

void ctg_wait_for_violation(void) {
  static _Atomic uint32_t seen;
  for (;;) {
    uint32_t now = atomic_load(&kept);
    if (atomic_exchange(&seen, now) != now) return;
    cgr_syscall4(SYS_futex, &kept, FUTEX_WAIT_PRIVATE, now, NULL);
  }
}
