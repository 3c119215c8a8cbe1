// The search for cycles through one edge. Plain memory only.

#include "locks/graph.h"

#define node_at ctg_graph_node_at
#define edge_at ctg_graph_edge_at

// Marks what leads to `goal`, with how many edges away it is. False without memory.
static bool measure(struct ctg_graph *graph, uint32_t goal) {
  graph->mark++;
  graph->forward.count = 0;
  if (!ctg_list_push(&graph->forward, goal)) return false;
  node_at(graph, goal)->mark = graph->mark;
  node_at(graph, goal)->distance = 0;
  for (size_t i = 0; i < graph->forward.count; ++i) {
    const struct ctg_graph_node *node = node_at(graph, graph->forward.items[i]);
    for (uint32_t edge = node->first_in; edge; edge = edge_at(graph, edge)->next_in) {
      struct ctg_graph_node *before = node_at(graph, edge_at(graph, edge)->from);
      if (before->mark == graph->mark) continue;
      before->mark = graph->mark;
      before->distance = node->distance + 1;
      if (!ctg_list_push(&graph->forward, edge_at(graph, edge)->from)) return false;
    }
  }
  return true;
}

// One place of the path: an edge, and the way in which it is taken next.
struct place {
  uint32_t edge;
  uint32_t way;
};

struct search {
  struct ctg_graph *graph;
  const struct ctg_graph_visitor *visitor;
  uint32_t goal;
  unsigned limit;  // of the path's length
  unsigned budget;
  bool was_limited;  // a longer path was left aside
  struct place *path;
};

// The next edge at this place from `edge` on that can still come to the goal.
static uint32_t promising(struct search *search, uint32_t edge, unsigned depth) {
  for (; edge; edge = edge_at(search->graph, edge)->next_out) {
    const struct ctg_graph_node *to = node_at(search->graph, edge_at(search->graph, edge)->to);
    if (to->mark != search->graph->mark || to->is_on_path) continue;
    if (depth + 1 + to->distance <= search->limit) return edge;
    search->was_limited = true;
  }
  return 0;
}

static void leave(struct search *search, unsigned depth) {
  const struct ctg_graph_edge *edge = edge_at(search->graph, search->path[depth].edge);
  node_at(search->graph, edge->to)->is_on_path = false;
}

// Walks all paths up to the limit. True where one was enough.
static bool walk(struct search *search, uint32_t first) {
  struct ctg_graph *graph = search->graph;
  unsigned depth = 0;
  search->path[0] = (struct place){.edge = first};
  bool is_enough = false;
  for (;;) {
    struct place *place = &search->path[depth];
    int taken = -1;
    if (!is_enough && search->budget && place->edge) {
      search->budget--;
      taken = search->visitor->step(search->visitor->context, place->edge, place->way++, depth);
    }
    if (taken == 0) continue;
    if (taken < 0) {
      bool is_over = is_enough || !search->budget || depth == 0;
      uint32_t next = is_over || !place->edge ? 0 : promising(search, edge_at(graph, place->edge)->next_out, depth);
      *place = (struct place){.edge = next};
      if (next) continue;
      if (depth == 0) return is_enough;
      leave(search, --depth);
      continue;
    }
    const struct ctg_graph_edge *edge = edge_at(graph, place->edge);
    if (edge->to == search->goal) {
      is_enough = search->visitor->complete(search->visitor->context, depth + 1);
      continue;
    }
    node_at(graph, edge->to)->is_on_path = true;
    ++depth;
    search->path[depth] = (struct place){.edge = promising(search, node_at(graph, edge->to)->first_out, depth)};
  }
}

bool ctg_graph_find_cycles(struct ctg_graph *graph, uint32_t edge, const struct ctg_graph_visitor *visitor,
                           unsigned budget) {
  const struct ctg_graph_edge *first = edge_at(graph, edge);
  if (!measure(graph, first->from)) return false;
  const struct ctg_graph_node *to = node_at(graph, first->to);
  if (to->mark != graph->mark) return true;
  size_t longest = graph->forward.count + 1;
  struct search search = {.graph = graph, .visitor = visitor, .goal = first->from, .budget = budget};
  search.path = ctg_pages_map(longest * sizeof *search.path);
  if (!search.path) return false;
  for (search.limit = to->distance + 1; search.limit <= longest; ++search.limit) {
    search.was_limited = false;
    if (walk(&search, edge) || !search.was_limited || !search.budget) break;
  }
  ctg_pages_unmap(search.path, longest * sizeof *search.path);
  return search.budget > 0;
}
