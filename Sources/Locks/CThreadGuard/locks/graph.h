#pragma once
// A directed graph that keeps a topological order as edges come (Pearce and Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs", 2006), so that nearly every new edge is known to close no cycle at once.
// Edges that do close one are kept too, outside the order: what is a cycle here need not be one to the caller. Knows
// nothing of what its nodes stand for. Not synchronised. Nodes and edges are numbers from 1.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/pool.h"

#pragma GCC visibility push(hidden)

#define CTG_GRAPH_BUCKETS 65536u

struct ctg_graph {
  struct ctg_pool nodes, edges;
  int64_t highest_rank;
  uint32_t backward_edges;
  uint32_t mark;
  struct ctg_list stack, forward, backward, ranked;
  uint32_t buckets[CTG_GRAPH_BUCKETS];
};

struct ctg_graph_node {
  uint32_t reserved_for_pool;
  uint32_t payload;
  uint32_t first_out, first_in;
  uint32_t mark;      // visited, where it equals the graph's
  uint32_t distance;  // to the end of the search, of a marked node
  bool is_on_path;
  int64_t rank;
};

struct ctg_graph_edge {
  uint32_t next_in_bucket;
  uint32_t from, to;
  uint32_t next_out, previous_out, next_in, previous_in;
  uint32_t payload;  // whatever the caller keeps
  bool is_backward;  // closes a cycle, and is left out of the order
};

static inline struct ctg_graph_node *ctg_graph_node_at(const struct ctg_graph *graph, uint32_t node) {
  return ctg_pool_at(&graph->nodes, node);
}

/// 0 when there is no room. `payload` is whatever the caller keeps.
uint32_t ctg_graph_add_node(struct ctg_graph *graph, uint32_t payload);
uint32_t ctg_graph_payload(const struct ctg_graph *graph, uint32_t node);

/// Takes a node away with its edges; calls `forget` with each edge's payload.
void ctg_graph_remove_node(struct ctg_graph *graph, uint32_t node, void (*forget)(uint32_t payload));

/// The edge between two nodes, or 0.
uint32_t ctg_graph_find_edge(const struct ctg_graph *graph, uint32_t from, uint32_t to);

/// Adds an edge that is not there yet. 0 when there is no room.
uint32_t ctg_graph_add_edge(struct ctg_graph *graph, uint32_t from, uint32_t to);

static inline struct ctg_graph_edge *ctg_graph_edge_at(const struct ctg_graph *graph, uint32_t edge) {
  return ctg_pool_at(&graph->edges, edge);
}

/// How a search for cycles asks about them. An edge may be taken in several ways.
struct ctg_graph_visitor {
  void *context;
  /// Puts `edge` at place `depth` of the path in its way number `way`: 1 taken, 0 not in this way, -1 no such way.
  int (*step)(void *context, uint32_t edge, unsigned way, unsigned depth);
  /// The path of `length` edges is a cycle. Whether that is enough.
  bool (*complete)(void *context, unsigned length);
};

/// Looks for cycles through `edge`, shorter ones first, until one is enough or the budget of steps is spent.
/// False where the budget ended the search.
bool ctg_graph_find_cycles(struct ctg_graph *graph, uint32_t edge, const struct ctg_graph_visitor *visitor,
                           unsigned budget);

#pragma GCC visibility pop
