// The graph and its order. Plain memory only.

#include "locks/graph.h"

#define node_at ctg_graph_node_at
#define edge_at ctg_graph_edge_at

static uint32_t bucket_of(uint32_t from, uint32_t to) {
  return (uint32_t)(((uint64_t)from * 0x9e3779b97f4a7c15u + to) * 0xff51afd7ed558ccdu >> 48) % CTG_GRAPH_BUCKETS;
}

uint32_t ctg_graph_add_node(struct ctg_graph *graph, uint32_t payload) {
  uint32_t node = ctg_pool_take(&graph->nodes);
  if (!node) return 0;
  node_at(graph, node)->rank = ++graph->highest_rank;
  node_at(graph, node)->payload = payload;
  return node;
}

uint32_t ctg_graph_payload(const struct ctg_graph *graph, uint32_t node) { return node_at(graph, node)->payload; }

uint32_t ctg_graph_find_edge(const struct ctg_graph *graph, uint32_t from, uint32_t to) {
  uint32_t edge = graph->buckets[bucket_of(from, to)];
  while (edge && (edge_at(graph, edge)->from != from || edge_at(graph, edge)->to != to))
    edge = edge_at(graph, edge)->next_in_bucket;
  return edge;
}

static void unlink_edge(struct ctg_graph *graph, uint32_t number) {
  struct ctg_graph_edge *edge = edge_at(graph, number);
  uint32_t *at = &graph->buckets[bucket_of(edge->from, edge->to)];
  while (*at != number) at = &edge_at(graph, *at)->next_in_bucket;
  *at = edge->next_in_bucket;
  if (edge->previous_out)
    edge_at(graph, edge->previous_out)->next_out = edge->next_out;
  else
    node_at(graph, edge->from)->first_out = edge->next_out;
  if (edge->next_out) edge_at(graph, edge->next_out)->previous_out = edge->previous_out;
  if (edge->previous_in)
    edge_at(graph, edge->previous_in)->next_in = edge->next_in;
  else
    node_at(graph, edge->to)->first_in = edge->next_in;
  if (edge->next_in) edge_at(graph, edge->next_in)->previous_in = edge->previous_in;
  graph->backward_edges -= edge->is_backward;
}

void ctg_graph_remove_node(struct ctg_graph *graph, uint32_t node, void (*forget)(uint32_t payload)) {
  uint32_t edge;
  while ((edge = node_at(graph, node)->first_out) || (edge = node_at(graph, node)->first_in)) {
    unlink_edge(graph, edge);
    forget(edge_at(graph, edge)->payload);
    ctg_pool_give_back(&graph->edges, edge);
  }
  ctg_pool_give_back(&graph->nodes, node);
}

// --- The order ---------------------------------------------------------------------------------------------------

// Collects what is reachable along ordered edges without passing `bound`. Sets *found where `goal` is met.
// False when there is no memory.
static bool collect(struct ctg_graph *graph, uint32_t start, bool forwards, int64_t bound, uint32_t goal,
                    struct ctg_list *into, bool *found) {
  graph->stack.count = into->count = 0;
  if (!ctg_list_push(&graph->stack, start)) return false;
  node_at(graph, start)->mark = graph->mark;
  while (graph->stack.count) {
    uint32_t node = graph->stack.items[--graph->stack.count];
    if (!ctg_list_push(into, node)) return false;
    uint32_t edge = forwards ? node_at(graph, node)->first_out : node_at(graph, node)->first_in;
    while (edge) {
      const struct ctg_graph_edge *here = edge_at(graph, edge);
      uint32_t other = forwards ? here->to : here->from;
      struct ctg_graph_node *reached = node_at(graph, other);
      if (!here->is_backward && other == goal) {
        *found = true;
        return true;
      }
      if (!here->is_backward && reached->mark != graph->mark
          && (forwards ? reached->rank < bound : reached->rank > bound)) {
        reached->mark = graph->mark;
        if (!ctg_list_push(&graph->stack, other)) return false;
      }
      edge = forwards ? here->next_out : here->next_in;
    }
  }
  return true;
}

static void sort_by_rank(const struct ctg_graph *graph, uint32_t *nodes, size_t count) {
  for (size_t gap = count / 2; gap > 0; gap /= 2) {
    for (size_t i = gap; i < count; ++i) {
      uint32_t node = nodes[i];
      int64_t rank = node_at(graph, node)->rank;
      size_t at = i;
      for (; at >= gap && node_at(graph, nodes[at - gap])->rank > rank; at -= gap) nodes[at] = nodes[at - gap];
      nodes[at] = node;
    }
  }
}

// Gives the ranks of both lists to what leads to the edge first, then to what it leads to, each in its old order.
static bool reorder(struct ctg_graph *graph) {
  graph->ranked.count = 0;
  for (size_t i = 0; i < graph->backward.count; ++i)
    if (!ctg_list_push(&graph->ranked, graph->backward.items[i])) return false;
  for (size_t i = 0; i < graph->forward.count; ++i)
    if (!ctg_list_push(&graph->ranked, graph->forward.items[i])) return false;
  sort_by_rank(graph, graph->backward.items, graph->backward.count);
  sort_by_rank(graph, graph->forward.items, graph->forward.count);
  sort_by_rank(graph, graph->ranked.items, graph->ranked.count);
  // Ranks are read before any is written: a node is in one list only, and `ranked` gives way place by place.
  size_t count = graph->ranked.count;
  int64_t *ranks = ctg_pages_map(count * sizeof *ranks);
  if (!ranks) return false;
  for (size_t i = 0; i < count; ++i) ranks[i] = node_at(graph, graph->ranked.items[i])->rank;
  size_t next = 0;
  for (size_t i = 0; i < graph->backward.count; ++i) node_at(graph, graph->backward.items[i])->rank = ranks[next++];
  for (size_t i = 0; i < graph->forward.count; ++i) node_at(graph, graph->forward.items[i])->rank = ranks[next++];
  ctg_pages_unmap(ranks, count * sizeof *ranks);
  return true;
}

// Whether the edge has its place in the order. Sets *is_backward where it closes a cycle. False without memory.
static bool put_in_order(struct ctg_graph *graph, uint32_t from, uint32_t to, bool *is_backward) {
  *is_backward = from == to;
  if (*is_backward || node_at(graph, from)->rank < node_at(graph, to)->rank) return true;
  graph->mark++;
  if (!collect(graph, to, true, node_at(graph, from)->rank, from, &graph->forward, is_backward)) return false;
  if (*is_backward) return true;
  graph->mark++;
  bool met = false;
  return collect(graph, from, false, node_at(graph, to)->rank, 0, &graph->backward, &met) && reorder(graph);
}

uint32_t ctg_graph_add_edge(struct ctg_graph *graph, uint32_t from, uint32_t to) {
  bool is_backward;
  if (!put_in_order(graph, from, to, &is_backward)) return 0;
  uint32_t number = ctg_pool_take(&graph->edges);
  if (!number) return 0;
  struct ctg_graph_edge *edge = edge_at(graph, number);
  uint32_t *bucket = &graph->buckets[bucket_of(from, to)];
  *edge = (struct ctg_graph_edge){.next_in_bucket = *bucket,
                                  .from = from,
                                  .to = to,
                                  .is_backward = is_backward,
                                  .next_out = node_at(graph, from)->first_out,
                                  .next_in = node_at(graph, to)->first_in};
  *bucket = number;
  if (edge->next_out) edge_at(graph, edge->next_out)->previous_out = number;
  if (edge->next_in) edge_at(graph, edge->next_in)->previous_in = number;
  node_at(graph, from)->first_out = node_at(graph, to)->first_in = number;
  graph->backward_edges += is_backward;
  return number;
}
