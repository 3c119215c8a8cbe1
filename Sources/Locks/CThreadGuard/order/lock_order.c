// Learns the order of locks from a thread's stack of locks, and finds cycles. It runs if a thread takes a lock together
// with locks that it has not held together before.

#include "order/lock_order.h"

#include <errno.h>
#include <string.h>

#include "ground/engine_lock.h"
#include "ground/full_tables.h"
#include "ground/state.h"
#include "ground/work_stack.h"
#include "locks/held.h"
#include "locks/records.h"
#include "locks/stacks.h"
#include "locks/witnesses.h"
#include "misuse/misuse.h"
#include "order/order_findings.h"

#define SEARCH_BUDGET 200000u
#define ALL_SEARCHES_BUDGET 1000000u
#define LEAST_BUDGET 200u

// One check: the thread, what it takes, and the records of all that it holds.
struct check {
  struct ctg_thread_state *self;
  struct ctg_held *taken;
  uint32_t count;
  uint32_t records[CTG_HELD_MAX + 1];  // the last is that of `taken`; 0 for what is not to be looked at
};

// `taken` stands on the stack, or is not there yet.
static uint32_t count_below(const struct ctg_thread_state *self, const struct ctg_held *taken) {
  bool is_on_stack = taken >= self->held && taken < self->held + CTG_HELD_MAX;
  return is_on_stack ? (uint32_t)(taken - self->held) : self->depth;
}

// A reader that comes again waits behind a writer that waits for it, where writers go first.
static void check_reading_again(struct ctg_thread_state *self, const struct ctg_held *taken) {
  uint32_t count = count_below(self, taken);
  if (!(taken->flags & CTG_LOCK_PREFERS_WRITERS) || !(taken->flags & CTG_TAKEN_SHARED)) return;
  for (uint32_t i = 0; i < count; ++i) {
    if (self->held[i].address != taken->address) continue;
    ctg_misuse(self, taken, &self->held[i], CTG_RULE_RECURSIVE_READ, NULL);
    return;
  }
}

static bool find_records(struct check *check) {
  check->count = count_below(check->self, check->taken);
  uint32_t taken = check->records[check->count] = ctg_record_of(check->taken);
  if (!taken) return false;
  for (uint32_t i = 0; i < check->count; ++i) {
    struct ctg_held *held = &check->self->held[i];
    bool counts = held->address && held->address != check->taken->address && !(held->flags & CTG_GIVEN_BACK);
    check->records[i] = counts ? ctg_record_of(held) : 0;
  }
  return true;
}

#define SERIAL_OF_QUEUE 0x80000000u

// Which thread ran a queue's work is chance: what work of one queue does counts as done by a thread of its own.
static uint32_t serial_of(const struct check *check) {
  const struct ctg_held *lowest = check->self->held;
  bool is_work = check->count && lowest->type == CTG_QUEUE && lowest->flags & CTG_TAKEN_BY_TRY;
  return is_work ? SERIAL_OF_QUEUE | (uint32_t)(ctg_chain_of(check->self, 1) >> 33) : check->self->serial;
}

static void describe(const struct check *check, uint32_t from, struct ctg_witness *witness) {
  const struct ctg_held *held = check->self->held;
  *witness = (struct ctg_witness){
      .thread_serial = serial_of(check),
      .from_is_shared = held[from].flags & CTG_TAKEN_SHARED,
      .to_is_shared = check->taken->flags & CTG_TAKEN_SHARED,
  };
  for (uint32_t i = 0; i < check->count && witness->gate_count < CTG_GATES_MAX; ++i) {
    if (i == from || check->records[i] == 0 || check->records[i] == check->records[from]) continue;
    witness->gates[witness->gate_count++] = ctg_gate(check->records[i], held[i].flags & CTG_TAKEN_SHARED);
  }
}

static uint32_t edge_between(uint32_t from, uint32_t to) {
  return ctg_graph_find_edge(&ctg_graph, ctg_record_at(from)->node, ctg_record_at(to)->node);
}

static bool is_known(uint32_t from, uint32_t to, const struct ctg_witness *witness) {
  uint32_t edge = edge_between(from, to);
  return edge && ctg_witness_is_known(ctg_graph_edge_at(&ctg_graph, edge)->payload, witness);
}

// The classes of two locks, where both have one.
static bool classes_of(uint32_t from, uint32_t to, uint32_t *from_class, uint32_t *to_class) {
  *from_class = ctg_record_at(from)->class_record;
  *to_class = ctg_record_at(to)->class_record;
  return *from_class && *to_class;
}

static bool all_is_known(const struct check *check) {
  uint32_t to = check->records[check->count], from_class, to_class;
  for (uint32_t i = 0; i < check->count; ++i) {
    uint32_t from = check->records[i];
    if (!from) continue;
    struct ctg_witness witness;
    describe(check, i, &witness);
    if (!is_known(from, to, &witness)) return false;
    if (classes_of(from, to, &from_class, &to_class) && from_class != to_class
        && !is_known(from_class, to_class, &witness))
      return false;
  }
  return true;
}

// Adds what was seen to the order between two records. Whether it may have closed a cycle; then *edge says where.
static bool add_order(uint32_t from, uint32_t to, const struct ctg_witness *witness, uint32_t *edge) {
  *edge = edge_between(from, to);
  if (!*edge) *edge = ctg_graph_add_edge(&ctg_graph, ctg_record_at(from)->node, ctg_record_at(to)->node);
  if (!*edge) {
    ctg_limit_reached(CTG_LIMIT_ORDERS);
    return false;
  }
  uint32_t *first = &ctg_graph_edge_at(&ctg_graph, *edge)->payload;
  if (ctg_witness_is_known(*first, witness)) return false;
  if (!ctg_witness_add(first, witness)) {
    ctg_limit_reached(CTG_LIMIT_ORDERS);
    return false;
  }
  return ctg_graph.backward_edges > 0;
}

static struct ctg_finding *look_for_cycle(uint32_t edge) {
  struct ctg_cycle_search search;
  struct ctg_graph_visitor visitor;
  if (!ctg_cycle_search_begin(&search, &visitor)) return NULL;
  // Where thousands of searches end in nothing, the locks are so entangled that each of them gets less.
  static unsigned allowance = ALL_SEARCHES_BUDGET;
  unsigned budget = allowance < SEARCH_BUDGET ? allowance + LEAST_BUDGET : SEARCH_BUDGET;
  if (!ctg_graph_find_cycles(&ctg_graph, edge, &visitor, budget)) ctg_limit_reached(CTG_LIMIT_SEARCH);
  allowance -= search.steps < allowance ? search.steps : allowance;
  return ctg_cycle_search_end(&search);
}

static void add_all(const struct check *check, const struct ctg_walk *walk, struct ctg_finding **findings) {
  uint32_t to = check->records[check->count], from_class, to_class;
  struct ctg_thread thread = ctg_thread_description(check->self);
  uint32_t to_stack = ctg_stack_keep(walk->addresses, walk->count);
  struct ctg_record *taken = ctg_record_at(to);
  if (!taken->origin) taken->origin = to_stack;
  for (uint32_t i = 0; i < check->count; ++i) {
    uint32_t from = check->records[i], edge;
    if (!from) continue;
    struct ctg_witness witness;
    describe(check, i, &witness);
    witness.thread = thread;
    witness.to_stack = to_stack;
    uintptr_t addresses[CTG_STACK_MAX];
    witness.from_stack = ctg_stack_keep(addresses, ctg_stack_of_taking(&check->self->held[i], walk, addresses));
    if (!ctg_record_at(from)->origin) ctg_record_at(from)->origin = witness.from_stack;
    struct ctg_finding *finding = NULL;
    if (add_order(from, to, &witness, &edge)) finding = look_for_cycle(edge);
    if (classes_of(from, to, &from_class, &to_class)) {
      if (from_class == to_class) {
        if (!finding) finding = ctg_find_same_class(from, to, &witness);
      } else if (add_order(from_class, to_class, &witness, &edge) && !finding) {
        finding = look_for_cycle(edge);
      }
    }
    if (finding) {
      finding->next = *findings;
      *findings = finding;
    }
  }
}

// What another thread has given back stays on the stack until something new is taken above it.
static struct ctg_held *drop_given_back(struct ctg_thread_state *self, struct ctg_held *taken) {
  for (uint32_t i = count_below(self, taken); i-- > 0;) {
    if (!(self->held[i].flags & CTG_GIVEN_BACK)) continue;
    bool is_on_stack = taken >= self->held && taken < self->held + CTG_HELD_MAX;
    ctg_held_remove(self, &self->held[i]);
    if (is_on_stack) taken--;
  }
  return taken;
}

// What is new in a check: it is recorded, and whatever is wrong with it reported.
static void look_at_new(void *argument) {
  struct check *check = argument;
  struct ctg_walk walk;
  struct ctg_finding *findings = NULL;
  ctg_walk_from(check->taken, &walk);
  ctg_engine_lock();
  // Meanwhile a lock may have been destroyed.
  if (find_records(check)) add_all(check, &walk, &findings);
  ctg_engine_unlock();
  while (findings) findings = ctg_finding_report(findings);
}

void ctg_order_check(struct ctg_thread_state *self, struct ctg_held *taken) {
  taken = drop_given_back(self, taken);
  check_reading_again(self, taken);
  ctg_busy++;
  int error = errno;
  struct check check = {.self = self, .taken = taken};
  ctg_engine_lock();
  bool is_possible = find_records(&check), is_done = is_possible && all_is_known(&check);
  ctg_engine_unlock();
  if (is_possible && !is_done) ctg_on_work_stack(look_at_new, &check);
  // Records that were made just now have identities, and those are part of the hashes.
  ctg_held_rehash(self, 0);
  if (taken < self->held || taken >= self->held + CTG_HELD_MAX)
    taken->chain = ctg_chain(ctg_chain_of(self, self->depth), taken->address, taken->identity, taken->flags);
  ctg_chain_keep(self, taken->chain);
  errno = error;
  ctg_busy--;
}
