#pragma once
// What graph.c and graph_cycles.c share.

#include "graph.h"

struct ctg_graph_node {
  uint32_t reserved_for_pool;
  uint32_t payload;
  uint32_t first_out, first_in;
  uint32_t mark;      // visited, where it equals the graph's
  uint32_t distance;  // to the end of the search, of a marked node
  bool is_on_path;
  int64_t rank;
};

_Static_assert(sizeof(struct ctg_graph_node) == CTG_GRAPH_NODE_SIZE, "the size that users set a pool up with");

static inline struct ctg_graph_node *ctg_graph_node_at(const struct ctg_graph *graph, uint32_t node) {
  return ctg_pool_at(&graph->nodes, node);
}
