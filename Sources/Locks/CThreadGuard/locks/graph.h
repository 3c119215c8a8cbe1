#pragma once
// A directed graph that keeps a topological order as edges come, so that nearly every new edge is known to close no
// cycle at once. Edges that do close a cycle are kept too, outside the order, because the caller may not count it as a
// cycle. The graph does not know the meaning of its nodes. Not synchronised. Nodes and edges are numbers from 1.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/pool.h"

#pragma GCC visibility push(hidden)

#define CTG_GRAPH_BUCKETS 65536u

// What all searches together may spend, counted in edges that they look at. The first number is for the process, and
// the second comes with each edge: ten times what random graphs of 100,000 edges without a cycle need.
#define CTG_GRAPH_STEPS 30000000u
#define CTG_GRAPH_STEPS_FOR_EDGE 100u

// One side of a search that starts at both ends of an edge: ahead of its end, or behind its start.
struct ctg_graph_side {
  bool is_ahead;
  uint32_t mark;                  // of the nodes that this side has visited
  struct ctg_list visited, live;  // `live`: those with edges that were not looked at
};

struct ctg_graph {
  struct ctg_pool nodes, edges;
  uint32_t first, last;  // the ends of the order
  uint32_t backward_edges;
  uint32_t mark;
  uint64_t steps;  // edges that the searches have looked at
  struct ctg_graph_side ahead, behind;
  uint32_t buckets[CTG_GRAPH_BUCKETS];
};

struct ctg_graph_node {
  uint32_t reserved_for_pool;
  uint32_t payload;
  uint32_t first_out, first_in;
  uint32_t mark;            // visited, if it equals that of the search
  uint32_t distance;        // to the end of the search, of a marked node
  uint32_t next_edge;       // where the search goes on, of a marked node
  uint32_t previous, next;  // in the order
  bool is_on_path;
  int64_t rank;  // grows along the order
};

struct ctg_graph_edge {
  uint32_t next_in_bucket;
  uint32_t from, to;
  uint32_t next_out, previous_out, next_in, previous_in;
  uint32_t payload;  // whatever the caller keeps
  bool is_backward;  // left out of the order: closes a cycle, or may close one (the steps were spent)
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

// --- The order: every edge but the backward ones goes from a lower rank to a higher one ------------------------------

/// Puts a new node at the end of the order.
void ctg_order_append(struct ctg_graph *graph, uint32_t node);

/// Takes a node out of the order.
void ctg_order_remove(struct ctg_graph *graph, uint32_t node);

/// Moves `node` to just before `place`, or to the end if `place` is 0. `more` nodes will follow it to that place.
void ctg_order_move(struct ctg_graph *graph, uint32_t node, uint32_t place, size_t more);

/// Changes the order so that it has room for an edge. Sets *is_backward if the edge closes a cycle, or if the graph's
/// steps were spent before that was known. False if there is no memory; the order is unchanged then.
bool ctg_order_admit(struct ctg_graph *graph, uint32_t from, uint32_t to, bool *is_backward);

// --- Searches ----------------------------------------------------------------------------------------------------

/// Whether a search may look at one more edge; counts it.
static inline bool ctg_graph_may_step(struct ctg_graph *graph) {
  if (graph->steps >= CTG_GRAPH_STEPS + graph->edges.given * CTG_GRAPH_STEPS_FOR_EDGE) return false;
  graph->steps++;
  return true;
}

/// How a search for cycles asks about them. An edge may be taken in several ways.
struct ctg_graph_visitor {
  void *context;
  /// Puts `edge` at place `depth` of the path in its way number `way`: 1 taken, 0 not in this way, -1 no such way.
  int (*step)(void *context, uint32_t edge, unsigned way, unsigned depth);
  /// The path of `length` edges is a cycle. Whether that is enough.
  bool (*complete)(void *context, unsigned length);
};

/// Looks for cycles through `edge`, shorter ones first, until one is enough, the budget of the visitor's steps is spent
/// or the graph's own steps are. False if something was left out for lack of steps.
bool ctg_graph_find_cycles(struct ctg_graph *graph, uint32_t edge, const struct ctg_graph_visitor *visitor,
                           unsigned budget);

#pragma GCC visibility pop
