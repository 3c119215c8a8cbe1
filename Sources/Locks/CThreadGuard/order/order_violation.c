// A cycle as a violation: its locks, its orders with both stacks, the threads, and what else was held.

#include <stdio.h>
#include <string.h>

#include "ground/said_once.h"
#include "locks/descriptions.h"
#include "locks/records.h"
#include "locks/stacks.h"
#include "order/order_findings.h"
#include "violations.h"

#define MESSAGE_SIZE 256

// Where the parts of a finding lie in its pages.
struct parts {
  struct ctg_finding *finding;
  struct ctg_lock *locks;
  uint32_t *records;  // of each lock
  struct ctg_edge *edges;
  size_t *held;
  char *message;
};

static size_t aligned(size_t size) { return (size + 15) & ~(size_t)15; }

static bool make_room(struct parts *parts, enum ctg_rule rule, size_t lock_limit, size_t edge_count) {
  size_t locks = aligned(lock_limit * sizeof *parts->locks), records = aligned(lock_limit * sizeof *parts->records);
  size_t edges = aligned(edge_count * sizeof *parts->edges);
  size_t held = aligned(edge_count * CTG_GATES_MAX * sizeof *parts->held), head = aligned(sizeof *parts->finding);
  size_t size = head + locks + records + edges + held + MESSAGE_SIZE;
  char *pages = ctg_pages_map(size);
  if (!pages) return false;
  parts->finding = (struct ctg_finding *)pages;
  parts->locks = (struct ctg_lock *)(pages + head);
  parts->records = (uint32_t *)(pages + head + locks);
  parts->edges = (struct ctg_edge *)(pages + head + locks + records);
  parts->held = (size_t *)(pages + head + locks + records + edges);
  parts->message = pages + head + locks + records + edges + held;
  parts->finding->size = size;
  parts->finding->violation = ctg_violation_of(rule, parts->message);
  parts->finding->violation.locks = parts->locks;
  parts->finding->violation.edges = parts->edges;
  return true;
}

static size_t index_of(struct parts *parts, uint32_t record) {
  size_t count = parts->finding->violation.lock_count, i = 0;
  while (i < count && parts->records[i] != record) ++i;
  if (i == count) {
    parts->records[i] = record;
    parts->locks[i] = ctg_lock_of_record(record);
    parts->finding->violation.lock_count++;
  }
  return i;
}

static void add_edge(struct parts *parts, uint32_t from, uint32_t to, const struct ctg_witness *witness) {
  size_t number = parts->finding->violation.edge_count++, held_count = 0;
  size_t *held = parts->held + number * CTG_GATES_MAX;
  for (unsigned i = 0; i < witness->gate_count; ++i) {
    uint32_t record = ctg_gate_record(witness->gates[i]);
    if (record) held[held_count++] = index_of(parts, record);
  }
  parts->edges[number] = (struct ctg_edge){
      .from = index_of(parts, from),
      .to = index_of(parts, to),
      .from_mode = witness->from_is_shared ? CTG_SHARED : CTG_EXCLUSIVE,
      .to_mode = witness->to_is_shared ? CTG_SHARED : CTG_EXCLUSIVE,
      .thread = witness->thread,
      .from_stack = ctg_stack_kept(witness->from_stack),
      .to_stack = ctg_stack_kept(witness->to_stack),
      .held = held,
      .held_count = held_count,
  };
}

// Which locks they are, by class where they have one, in whatever order.
static uint64_t subject_of(const struct parts *parts) {
  const struct ctg_violation *violation = &parts->finding->violation;
  uint64_t subject = violation->edge_count + ((uint64_t)violation->severity << 32);
  for (size_t i = 0; i < violation->edge_count; ++i) {
    const struct ctg_record *record = ctg_record_at(parts->records[violation->edges[i].from]);
    uint32_t serial = record->class_record ? ctg_record_at(record->class_record)->serial : record->serial;
    uint64_t hash = (serial ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    subject += hash ^ hash >> 32;
  }
  return subject ? subject : 1;
}

struct ctg_finding *ctg_cycle_finding(const struct ctg_cycle_search *search) {
  struct parts parts;
  size_t count = search->kept_length;
  if (!make_room(&parts, CTG_RULE_CYCLE, count * (CTG_GATES_MAX + 1), count)) return NULL;
  // The locks of the cycle come first, in its order; the order that closed it, with which the search began, is the
  // last.
  for (size_t n = 1; n <= count; ++n) {
    const struct ctg_graph_edge *edge = ctg_graph_edge_at(&ctg_graph, search->kept_edges[n % count]);
    index_of(&parts, ctg_graph_payload(&ctg_graph, edge->from));
  }
  for (size_t n = 1; n <= count; ++n) {
    size_t i = n % count;
    const struct ctg_graph_edge *edge = ctg_graph_edge_at(&ctg_graph, search->kept_edges[i]);
    add_edge(&parts, ctg_graph_payload(&ctg_graph, edge->from), ctg_graph_payload(&ctg_graph, edge->to),
             ctg_witness_at(search->kept[i]));
  }
  struct ctg_violation *violation = &parts.finding->violation;
  if (!search->has_threads) violation->severity = CTG_NOTE;
  violation->subject = subject_of(&parts);
  const char *threads = search->has_threads ? "" : ", though so far by one thread alone";
  if (count == 2)
    snprintf(parts.message, MESSAGE_SIZE, "two locks are taken in both orders%s", threads);
  else
    snprintf(parts.message, MESSAGE_SIZE, "%zu locks are taken in orders that form a cycle%s", count, threads);
  return parts.finding;
}

struct ctg_finding *ctg_find_same_class(uint32_t from, uint32_t to, const struct ctg_witness *witness) {
  bool prefers_writers = ctg_record_at(to)->flags & CTG_LOCK_PREFERS_WRITERS;
  if (witness->from_is_shared && witness->to_is_shared && !prefers_writers) return NULL;
  if (ctg_was_said(ctg_stack_place(witness->from_stack) * 5 + ctg_stack_place(witness->to_stack), 0)) return NULL;
  struct parts parts;
  if (!make_room(&parts, CTG_RULE_SAME_CLASS, 2 + CTG_GATES_MAX, 1)) return NULL;
  add_edge(&parts, from, to, witness);
  struct ctg_violation *violation = &parts.finding->violation;
  violation->subject = subject_of(&parts);
  snprintf(parts.message, MESSAGE_SIZE, "two locks of the class \"%.100s\" are taken one within the other",
           ctg_record_at(ctg_record_at(from)->class_record)->name);
  return parts.finding;
}

struct ctg_finding *ctg_finding_report(struct ctg_finding *finding) {
  struct ctg_finding *next = finding->next;
  ctg_violation_report(&finding->violation);
  ctg_pages_unmap(finding, finding->size);
  return next;
}
