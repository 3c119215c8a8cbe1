// Which cycles of the graph can deadlock. Plain memory only.

#include <string.h>

#include "ground/said_once.h"
#include "locks/records.h"
#include "locks/stacks.h"
#include "order/order_findings.h"

#define LENGTH_MAX 65536u
#define STEPS_FOR_BETTER 2000u

// Whether the thread of one edge waits for what the thread of the next one holds.
static bool excludes(const struct ctg_graph_edge *edge, const struct ctg_witness *waits,
                     const struct ctg_witness *holds) {
  if (!waits->to_is_shared || !holds->from_is_shared) return true;
  // Readers share; but one that waits behind a writer does not, where writers go first.
  uint32_t record = ctg_graph_payload(&ctg_graph, edge->to);
  return ctg_record_at(record)->flags & CTG_LOCK_PREFERS_WRITERS;
}

static bool fits(const struct ctg_cycle_search *search, uint32_t witness, unsigned depth) {
  const struct ctg_witness *added = ctg_witness_at(witness);
  if (depth > 0) {
    const struct ctg_graph_edge *before = ctg_graph_edge_at(&ctg_graph, search->edges[depth - 1]);
    if (!excludes(before, ctg_witness_at(search->chosen[depth - 1]), added)) return false;
  }
  if (added->gate_count == 0) return true;
  for (unsigned i = 0; i < depth; ++i)
    if (ctg_witnesses_share_gate(ctg_witness_at(search->chosen[i]), added)) return false;
  return true;
}

static int step(void *context, uint32_t edge, unsigned way, unsigned depth) {
  struct ctg_cycle_search *search = context;
  search->steps++;
  if (search->kept_length && (search->left == 0 || search->left-- == 0)) return -1;
  uint32_t witness = ctg_graph_edge_at(&ctg_graph, edge)->payload;
  while (witness && way-- > 0) witness = ctg_witness_at(witness)->next;
  if (!witness) return -1;
  if (depth >= LENGTH_MAX || !fits(search, witness, depth)) return 0;
  search->edges[depth] = edge;
  search->chosen[depth] = witness;
  return 1;
}

static bool complete(void *context, unsigned length) {
  struct ctg_cycle_search *search = context;
  const struct ctg_witness *first = ctg_witness_at(search->chosen[0]);
  const struct ctg_graph_edge *last = ctg_graph_edge_at(&ctg_graph, search->edges[length - 1]);
  if (!excludes(last, ctg_witness_at(search->chosen[length - 1]), first)) return false;
  bool has_threads = false;
  for (unsigned i = 1; i < length; ++i)
    has_threads |= ctg_witness_at(search->chosen[i])->thread_serial != first->thread_serial;
  if (search->kept_length && !has_threads) return false;
  memcpy(search->kept_edges, search->edges, length * sizeof *search->edges);
  memcpy(search->kept, search->chosen, length * sizeof *search->chosen);
  search->kept_length = length;
  search->has_threads = has_threads;
  return has_threads;
}

bool ctg_cycle_search_begin(struct ctg_cycle_search *search, struct ctg_graph_visitor *visitor) {
  static uint32_t *arrays;
  // Used under the engine's lock, so one set is enough.
  if (!arrays && !(arrays = ctg_pages_map(4 * LENGTH_MAX * sizeof *arrays))) return false;
  *search = (struct ctg_cycle_search){
      .edges = arrays,
      .chosen = arrays + LENGTH_MAX,
      .kept_edges = arrays + 2 * (size_t)LENGTH_MAX,
      .kept = arrays + 3 * (size_t)LENGTH_MAX,
      .left = STEPS_FOR_BETTER,
  };
  *visitor = (struct ctg_graph_visitor){.context = search, .step = step, .complete = complete};
  return true;
}

#define DISTINCT_MAX 64

// The code that made the cycle, however many locks it makes it of: philosophers at a table do one thing.
static uint64_t code_of(const struct ctg_cycle_search *search) {
  uint64_t distinct[DISTINCT_MAX], sum = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < search->kept_length; ++i) {
    const struct ctg_witness *witness = ctg_witness_at(search->kept[i]);
    uint64_t place = ctg_stack_place(witness->from_stack) * 3 + ctg_stack_place(witness->to_stack);
    unsigned at = 0;
    while (at < count && distinct[at] != place) ++at;
    if (at < count) continue;
    if (count < DISTINCT_MAX) distinct[count++] = place;
    sum += place * place + place;
  }
  return sum;
}

struct ctg_finding *ctg_cycle_search_end(struct ctg_cycle_search *search) {
  if (search->kept_length == 0 || ctg_was_said(code_of(search), search->has_threads)) return NULL;
  return ctg_cycle_finding(search);
}
