// The graph against a walk over a table of all edges, and the steps that its searches take.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "locks/graph.h"
#include "probe.h"

#define NODES 40
#define ROUNDS 20000

static struct ctg_graph graph = {
    .nodes = {.item_size = sizeof(struct ctg_graph_node), .limit = 1000},
    .edges = {.item_size = sizeof(struct ctg_graph_edge), .limit = 10000},
};
static struct ctg_graph large = {
    .nodes = {.item_size = sizeof(struct ctg_graph_node), .limit = 500000},
    .edges = {.item_size = sizeof(struct ctg_graph_edge), .limit = 1000000},
};
static bool table[NODES][NODES];
static uint32_t nodes[NODES];

static bool reaches(unsigned from, unsigned to, bool *seen) {
  if (from == to) return true;
  seen[from] = true;
  for (unsigned next = 0; next < NODES; ++next)
    if (table[from][next] && !seen[next] && reaches(next, to, seen)) return true;
  return false;
}

static void forget(uint32_t payload) { (void)payload; }

static void renew(unsigned node) {
  ctg_graph_remove_node(&graph, nodes[node], forget);
  nodes[node] = ctg_graph_add_node(&graph, node);
  for (unsigned i = 0; i < NODES; ++i) table[node][i] = table[i][node] = false;
}

static int step(void *context, uint32_t edge, unsigned way, unsigned depth) {
  (void)context, (void)edge, (void)depth;
  return way == 0 ? 1 : -1;
}

static bool complete(void *context, unsigned length) {
  *(unsigned *)context = length;
  return true;
}

static void fail(const char *what, int round) {
  fprintf(stderr, "round %d: %s\n", round, what);
  exit(1);
}

void compare_graph(void) {
  srandom(1);
  unsigned cycles = 0;
  for (unsigned i = 0; i < NODES; ++i) nodes[i] = ctg_graph_add_node(&graph, i);
  for (int round = 0; round < ROUNDS; ++round) {
    unsigned from = (unsigned)random() % NODES, to = (unsigned)random() % NODES;
    if (round % 7 == 0) {
      renew(from);
      continue;
    }
    if (from == to || table[from][to]) continue;
    bool seen[NODES] = {false}, closes = reaches(to, from, seen);
    uint32_t edge = ctg_graph_add_edge(&graph, nodes[from], nodes[to]);
    table[from][to] = true;
    if (!edge || ctg_graph_find_edge(&graph, nodes[from], nodes[to]) != edge) fail("the edge is not there", round);
    unsigned length = 0;
    struct ctg_graph_visitor visitor = {.context = &length, .step = step, .complete = complete};
    if (!ctg_graph_find_cycles(&graph, edge, &visitor, 1000000)) fail("the search was cut short", round);
    if (closes != (length > 0)) fail("the search disagrees", round);
    // Without edges outside the order, the order alone tells.
    bool is_backward = ctg_graph_edge_at(&graph, edge)->is_backward;
    if (is_backward && !closes) fail("the order sees a cycle that is not there", round);
    if (graph.backward_edges == 0 && closes) fail("the order misses a cycle", round);
    cycles += closes;
    // For half of the time no cycle stays, so that the order is all there is to go by.
    if (closes && round < ROUNDS / 2) renew(from);
  }
  printf("%u cycles\n", cycles);
}

// --- Steps -------------------------------------------------------------------------------------------------------

#define CHAIN 10000u

// Adds an edge, and looks for a cycle as the engine does. Whether there is one.
static bool add(uint32_t from, uint32_t to) {
  unsigned length = 0;
  struct ctg_graph_visitor visitor = {.context = &length, .step = step, .complete = complete};
  uint32_t edge = ctg_graph_add_edge(&large, from, to);
  if (!edge) fail("the edge is not there", 0);
  if (large.backward_edges) ctg_graph_find_cycles(&large, edge, &visitor, 200);
  return length > 0;
}

// The two ends of edge number `i` from 1 on, as places in the order of creation.
static void in_chain(unsigned i, unsigned *from, unsigned *to) { *from = i, *to = i - 1; }
static void in_chain_from_end(unsigned i, unsigned *from, unsigned *to) { *from = CHAIN - i, *to = CHAIN - i - 1; }
// 7919 is a prime that does not divide the length, so each edge of the ring comes once. One is left out.
static void in_scattered_chain(unsigned i, unsigned *from, unsigned *to) {
  *to = i * 7919u % CHAIN, *from = (*to + 1) % CHAIN;
}
static void in_star(unsigned i, unsigned *from, unsigned *to) {
  *from = i % 2 ? CHAIN / 2 : i, *to = i % 2 ? i : CHAIN / 2;
}

static const struct {
  const char *name;
  void (*edge)(unsigned i, unsigned *from, unsigned *to);
} shapes[] = {{"a chain", in_chain},
              {"a chain from its end", in_chain_from_end},
              {"a chain in pieces", in_scattered_chain},
              {"a star", in_star}};

// A search that follows the chain at each edge takes 50,000,000 steps.
static void add_shapes(void) {
  static uint32_t nodes_of_shape[CHAIN];
  for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; ++shape) {
    uint64_t before = large.steps;
    for (unsigned i = 0; i < CHAIN; ++i) nodes_of_shape[i] = ctg_graph_add_node(&large, i);
    for (unsigned i = 1; i < CHAIN; ++i) {
      unsigned from, to;
      shapes[shape].edge(i, &from, &to);
      if (from != to && add(nodes_of_shape[from], nodes_of_shape[to])) fail(shapes[shape].name, (int)i);
    }
    uint64_t steps = large.steps - before;
    printf("%s: %llu steps\n", shapes[shape].name, (unsigned long long)steps);
    if (steps > 100 * (uint64_t)CHAIN) fail(shapes[shape].name, 0);
  }
}

// Shapes against the order of creation, before and after an inversion. Then so many cycles that the steps are spent: a
// search ends, says so, and still finds a cycle of two.
void count_steps(void) {
  add_shapes();
  uint32_t a = ctg_graph_add_node(&large, 0), b = ctg_graph_add_node(&large, 0);
  if (add(a, b) || !add(b, a)) fail("the inversion", 0);
  add_shapes();
  uint32_t start = ctg_graph_add_node(&large, 0), end = start;
  for (unsigned i = 0; i < CHAIN; ++i) {
    uint32_t next = ctg_graph_add_node(&large, 0);
    add(end, next);
    end = next;
  }
  for (unsigned i = 0; large.steps + 300 < CTG_GRAPH_STEPS + large.edges.given * CTG_GRAPH_STEPS_FOR_EDGE; ++i) {
    uint32_t other = ctg_graph_add_node(&large, 0);
    add(end, other);
    add(other, start);
    if (i > 100000) fail("the steps are not spent", (int)i);
  }
  unsigned length = 0;
  struct ctg_graph_visitor visitor = {.context = &length, .step = step, .complete = complete};
  uint32_t edge = ctg_graph_add_edge(&large, end, start);
  if (ctg_graph_find_cycles(&large, edge, &visitor, 200)) fail("the search is not said to be cut short", 0);
  if (!add(ctg_graph_edge_at(&large, edge)->to, ctg_graph_edge_at(&large, edge)->from)) fail("the cycle of two", 0);
}
