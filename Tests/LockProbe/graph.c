// The graph against a walk over a table of all edges.

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
