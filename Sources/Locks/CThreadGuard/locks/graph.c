// The nodes and the edges of the graph. Plain memory only.

#include "locks/graph.h"

#define node_at ctg_graph_node_at
#define edge_at ctg_graph_edge_at

static uint32_t bucket_of(uint32_t from, uint32_t to) {
  return (uint32_t)(((uint64_t)from * 0x9e3779b97f4a7c15u + to) * 0xff51afd7ed558ccdu >> 48) % CTG_GRAPH_BUCKETS;
}

uint32_t ctg_graph_add_node(struct ctg_graph *graph, uint32_t payload) {
  uint32_t node = ctg_pool_take(&graph->nodes);
  if (!node) return 0;
  node_at(graph, node)->payload = payload;
  ctg_order_append(graph, node);
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
  ctg_order_remove(graph, node);
  ctg_pool_give_back(&graph->nodes, node);
}

uint32_t ctg_graph_add_edge(struct ctg_graph *graph, uint32_t from, uint32_t to) {
  bool is_backward;
  if (!ctg_order_admit(graph, from, to, &is_backward)) return 0;
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
