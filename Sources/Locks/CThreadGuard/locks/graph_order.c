// Keeps the order as edges come: the two-way search of Haeupler, Kavitha, Mathew, Sen and Tarjan ("Incremental cycle
// detection, topological ordering, and strong component maintenance", 2012). An edge against the order is searched
// from both of its ends, one step at a time on each side, until the sides meet or what is left lies in order. So a
// search costs no more than the smaller side needs, and m edges cost at most m times the root of m. Plain memory only.

#include "locks/graph.h"

#define node_at ctg_graph_node_at
#define edge_at ctg_graph_edge_at

// --- A heap of nodes ---------------------------------------------------------------------------------------------

// The lowest rank comes first ahead of the edge, and the highest behind it.
static bool is_before(const struct ctg_graph *graph, bool is_ahead, uint32_t a, uint32_t b) {
  int64_t rank = node_at(graph, a)->rank, other = node_at(graph, b)->rank;
  return is_ahead ? rank < other : rank > other;
}

static bool heap_add(const struct ctg_graph *graph, bool is_ahead, struct ctg_list *heap, uint32_t node) {
  if (!ctg_list_push(heap, node)) return false;
  size_t at = heap->count - 1;
  for (; at > 0 && is_before(graph, is_ahead, node, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
    heap->items[at] = heap->items[(at - 1) / 2];
  heap->items[at] = node;
  return true;
}

static uint32_t heap_take(const struct ctg_graph *graph, bool is_ahead, struct ctg_list *heap) {
  uint32_t top = heap->items[0], node = heap->items[--heap->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && is_before(graph, is_ahead, heap->items[child + 1], heap->items[child])) ++child;
    if (!is_before(graph, is_ahead, heap->items[child], node)) break;
    heap->items[at] = heap->items[child];
  }
  heap->items[at] = node;
  return top;
}

// --- The search --------------------------------------------------------------------------------------------------

// The next edge of the order from `edge` on, or 0. False if the steps are spent.
static bool find_ordered(struct ctg_graph *graph, bool is_ahead, uint32_t edge, uint32_t *found) {
  for (; edge; edge = is_ahead ? edge_at(graph, edge)->next_out : edge_at(graph, edge)->next_in) {
    if (!ctg_graph_may_step(graph)) return false;
    if (!edge_at(graph, edge)->is_backward) break;
  }
  *found = edge;
  return true;
}

enum outcome { GOES_ON, MEETS, IS_SPENT, LACKS_MEMORY };

static enum outcome visit(struct ctg_graph *graph, struct ctg_graph_side *side, uint32_t number) {
  struct ctg_graph_node *node = node_at(graph, number);
  node->mark = side->mark;
  if (!ctg_list_push(&side->visited, number)) return LACKS_MEMORY;
  if (!find_ordered(graph, side->is_ahead, side->is_ahead ? node->first_out : node->first_in, &node->next_edge))
    return IS_SPENT;
  if (node->next_edge && !heap_add(graph, side->is_ahead, &side->live, number)) return LACKS_MEMORY;
  return GOES_ON;
}

// Follows one edge of the side's first node.
static enum outcome follow(struct ctg_graph *graph, struct ctg_graph_side *side, const struct ctg_graph_side *other) {
  struct ctg_graph_node *node = node_at(graph, side->live.items[0]);
  const struct ctg_graph_edge *edge = edge_at(graph, node->next_edge);
  uint32_t reached = side->is_ahead ? edge->to : edge->from;
  if (!find_ordered(graph, side->is_ahead, side->is_ahead ? edge->next_out : edge->next_in, &node->next_edge))
    return IS_SPENT;
  if (!node->next_edge) heap_take(graph, side->is_ahead, &side->live);
  if (node_at(graph, reached)->mark == other->mark) return MEETS;
  return node_at(graph, reached)->mark == side->mark ? GOES_ON : visit(graph, side, reached);
}

static void begin(struct ctg_graph *graph, struct ctg_graph_side *side, bool is_ahead) {
  side->is_ahead = is_ahead;
  side->mark = ++graph->mark;
  side->visited.count = side->live.count = 0;
}

static enum outcome search(struct ctg_graph *graph, uint32_t from, uint32_t to) {
  struct ctg_graph_side *ahead = &graph->ahead, *behind = &graph->behind;
  begin(graph, ahead, true);
  begin(graph, behind, false);
  enum outcome outcome = visit(graph, ahead, to);
  if (outcome == GOES_ON) outcome = visit(graph, behind, from);
  while (outcome == GOES_ON && ahead->live.count && behind->live.count
         && is_before(graph, true, ahead->live.items[0], behind->live.items[0])) {
    outcome = follow(graph, ahead, behind);
    if (outcome == GOES_ON && behind->live.count) outcome = follow(graph, behind, ahead);
  }
  return outcome;
}

// --- The new order -----------------------------------------------------------------------------------------------

// Leaves in `live` what the side has visited on its own edge's side of `border`: what has to move.
static bool choose(const struct ctg_graph *graph, struct ctg_graph_side *side, uint32_t border) {
  side->live.count = 0;
  for (size_t i = 0; i < side->visited.count; ++i) {
    uint32_t node = side->visited.items[i];
    if (is_before(graph, side->is_ahead, node, border) && !heap_add(graph, true, &side->live, node)) return false;
  }
  return true;
}

static void move_all(struct ctg_graph *graph, struct ctg_list *nodes, uint32_t place) {
  while (nodes->count) {
    uint32_t node = heap_take(graph, true, nodes);
    ctg_order_move(graph, node, place, nodes->count);
  }
}

// What leads to the edge and comes after the first node that was not searched ahead moves before that node; then
// follows what the edge leads to and comes before it. Each keeps its old order.
static bool reorder(struct ctg_graph *graph, uint32_t from) {
  struct ctg_graph_side *ahead = &graph->ahead, *behind = &graph->behind;
  uint32_t border = from;
  if (ahead->live.count && is_before(graph, true, ahead->live.items[0], from)) border = ahead->live.items[0];
  if (!choose(graph, ahead, border) || !choose(graph, behind, border)) return false;
  uint32_t place = border == from ? node_at(graph, from)->next : border;
  move_all(graph, &behind->live, place);
  move_all(graph, &ahead->live, place);
  return true;
}

bool ctg_order_admit(struct ctg_graph *graph, uint32_t from, uint32_t to, bool *is_backward) {
  *is_backward = from == to;
  if (*is_backward || is_before(graph, true, from, to)) return true;
  enum outcome outcome = search(graph, from, to);
  *is_backward = outcome == MEETS || outcome == IS_SPENT;
  return *is_backward || (outcome == GOES_ON && reorder(graph, from));
}
