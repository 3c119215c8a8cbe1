// The search for cycles through one edge. Plain memory only.

#include "locks/graph.h"

#define node_at ctg_graph_node_at
#define edge_at ctg_graph_edge_at

// --- Whether there is one ----------------------------------------------------------------------------------------

static bool visit(struct ctg_graph *graph, struct ctg_graph_side *side, uint32_t number) {
  struct ctg_graph_node *node = node_at(graph, number);
  node->mark = side->mark;
  node->next_edge = side->is_ahead ? node->first_out : node->first_in;
  return ctg_list_push(&side->visited, number);
}

static bool begin(struct ctg_graph *graph, struct ctg_graph_side *side, bool is_ahead, uint32_t start) {
  side->is_ahead = is_ahead;
  side->mark = ++graph->mark;
  side->visited.count = 0;
  return visit(graph, side, start);
}

enum outcome { GOES_ON, MEETS, HAS_ENDED, IS_CUT };

// Follows the side's next edge; `*at` is the first node that has some left.
static enum outcome follow(struct ctg_graph *graph, struct ctg_graph_side *side, size_t *at, uint32_t other_mark) {
  while (*at < side->visited.count && !node_at(graph, side->visited.items[*at])->next_edge) ++*at;
  if (*at == side->visited.count) return HAS_ENDED;
  if (!ctg_graph_may_step(graph)) return IS_CUT;
  struct ctg_graph_node *node = node_at(graph, side->visited.items[*at]);
  const struct ctg_graph_edge *edge = edge_at(graph, node->next_edge);
  node->next_edge = side->is_ahead ? edge->next_out : edge->next_in;
  uint32_t reached = side->is_ahead ? edge->to : edge->from;
  uint32_t mark = node_at(graph, reached)->mark;
  if (mark == other_mark) return MEETS;
  return mark == side->mark || visit(graph, side, reached) ? GOES_ON : IS_CUT;
}

// Whether `to` leads to `from`. A new lock has few edges on one side, so steps from both ends in turn end soon.
static enum outcome lead_back(struct ctg_graph *graph, uint32_t from, uint32_t to) {
  size_t ahead = 0, behind = 0;
  if (from == to) return MEETS;
  if (!begin(graph, &graph->ahead, true, to) || !begin(graph, &graph->behind, false, from)) return IS_CUT;
  enum outcome outcome = GOES_ON;
  while (outcome == GOES_ON) {
    outcome = follow(graph, &graph->ahead, &ahead, graph->behind.mark);
    if (outcome == GOES_ON) outcome = follow(graph, &graph->behind, &behind, graph->ahead.mark);
  }
  return outcome;
}

// Marks what leads to `goal`, nearest first, with its distance in edges. A cycle of two edges is always found.
// False if something was left out.
static bool measure(struct ctg_graph *graph, uint32_t goal, uint32_t start) {
  struct ctg_list *nodes = &graph->behind.visited;
  graph->mark++;
  nodes->count = 0;
  if (!ctg_list_push(nodes, goal)) return false;
  node_at(graph, goal)->mark = graph->mark;
  node_at(graph, goal)->distance = 0;
  if (start != goal && ctg_graph_find_edge(graph, start, goal)) {
    node_at(graph, start)->mark = graph->mark;
    node_at(graph, start)->distance = 1;
    if (!ctg_list_push(nodes, start)) return false;
  }
  for (size_t i = 0; i < nodes->count; ++i) {
    const struct ctg_graph_node *node = node_at(graph, nodes->items[i]);
    for (uint32_t edge = node->first_in; edge; edge = edge_at(graph, edge)->next_in) {
      if (!ctg_graph_may_step(graph)) return false;
      struct ctg_graph_node *before = node_at(graph, edge_at(graph, edge)->from);
      if (before->mark == graph->mark) continue;
      before->mark = graph->mark;
      before->distance = node->distance + 1;
      if (!ctg_list_push(nodes, edge_at(graph, edge)->from)) return false;
    }
  }
  return true;
}

// --- Which -------------------------------------------------------------------------------------------------------

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
  for (; edge && search->limit > 2; edge = edge_at(search->graph, edge)->next_out) {
    if (!ctg_graph_may_step(search->graph)) search->budget = 0;
    if (!search->budget) return 0;
    const struct ctg_graph_node *to = node_at(search->graph, edge_at(search->graph, edge)->to);
    if (to->mark != search->graph->mark || to->is_on_path) continue;
    if (depth + 1 + to->distance <= search->limit) return edge;
    search->was_limited = true;
  }
  return 0;
}

// The first edge from `node` that can still come to the goal. In a path of two edges it is known: such a cycle is found
// even if the graph's steps are spent.
static uint32_t first_promising(struct search *search, uint32_t node, unsigned depth) {
  if (search->limit > 2) return promising(search, node_at(search->graph, node)->first_out, depth);
  search->was_limited = true;
  return ctg_graph_find_edge(search->graph, node, search->goal);
}

static void leave(struct search *search, unsigned depth) {
  const struct ctg_graph_edge *edge = edge_at(search->graph, search->path[depth].edge);
  node_at(search->graph, edge->to)->is_on_path = false;
}

// Walks all paths up to the limit. True if one was enough.
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
    search->path[depth] = (struct place){.edge = first_promising(search, edge->to, depth)};
  }
}

bool ctg_graph_find_cycles(struct ctg_graph *graph, uint32_t edge, const struct ctg_graph_visitor *visitor,
                           unsigned budget) {
  const struct ctg_graph_edge *first = edge_at(graph, edge);
  if (lead_back(graph, first->from, first->to) == HAS_ENDED) return true;
  bool is_whole = measure(graph, first->from, first->to);
  const struct ctg_graph_node *to = node_at(graph, first->to);
  if (to->mark != graph->mark) return is_whole;
  size_t longest = graph->behind.visited.count + 1;
  struct search search = {.graph = graph, .visitor = visitor, .goal = first->from, .budget = budget};
  search.path = ctg_pages_map(longest * sizeof *search.path);
  if (!search.path) return false;
  bool is_enough = false;
  for (search.limit = to->distance + 1; search.limit <= longest; ++search.limit) {
    search.was_limited = false;
    is_enough = walk(&search, edge);
    if (is_enough || !search.was_limited || !search.budget) break;
  }
  ctg_pages_unmap(search.path, longest * sizeof *search.path);
  return is_enough || (is_whole && search.budget > 0);
}
