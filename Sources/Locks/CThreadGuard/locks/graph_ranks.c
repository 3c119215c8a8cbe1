// The order as a list whose nodes have ranks, so that two nodes are compared at once. A node goes between two others
// by taking a rank between theirs. If there is none left, the nodes around get new ranks, further apart (Bender, Cole,
// Demaine, Farach-Colton and Zito, "Two simplified algorithms for maintaining order in a list", 2002). Plain memory.

#include "locks/graph.h"

#define node_at ctg_graph_node_at

#define GAP ((int64_t)1 << 20)  // between neighbours at the ends
#define FURTHEST ((int64_t)1 << 61)

static void link_before(struct ctg_graph *graph, uint32_t node, uint32_t place) {
  uint32_t before = place ? node_at(graph, place)->previous : graph->last;
  node_at(graph, node)->previous = before;
  node_at(graph, node)->next = place;
  *(before ? &node_at(graph, before)->next : &graph->first) = node;
  *(place ? &node_at(graph, place)->previous : &graph->last) = node;
}

void ctg_order_remove(struct ctg_graph *graph, uint32_t node) {
  uint32_t before = node_at(graph, node)->previous, after = node_at(graph, node)->next;
  *(before ? &node_at(graph, before)->next : &graph->first) = after;
  *(after ? &node_at(graph, after)->previous : &graph->last) = before;
}

static void spread(struct ctg_graph *graph, uint32_t first, uint64_t count, int64_t rank, int64_t step) {
  for (; count > 0; --count, rank += step) {
    node_at(graph, first)->rank = rank;
    first = node_at(graph, first)->next;
  }
}

// Widens the range of ranks around a node until it has few nodes for its size, and spreads them over it.
static void make_room_around(struct ctg_graph *graph, uint32_t node) {
  uint32_t first = node, last = node;
  uint64_t count = 1, capacity = 1 << 16;  // the nodes that a range may have, times 65,536
  for (int64_t size = 1;; size *= 2, capacity += capacity / 3) {
    int64_t low = node_at(graph, node)->rank & ~(size - 1), high = low + (size - 1);
    uint32_t other;
    for (; (other = node_at(graph, first)->previous) && node_at(graph, other)->rank >= low; ++count) first = other;
    for (; (other = node_at(graph, last)->next) && node_at(graph, other)->rank <= high; ++count) last = other;
    int64_t step = size / (int64_t)count;
    if (count << 16 > capacity || step < 4) continue;
    spread(graph, first, count, low + step / 2, step);
    return;
  }
}

// The ranks between which a node before `place` goes.
static void bounds(const struct ctg_graph *graph, uint32_t place, size_t count, int64_t *low, int64_t *high) {
  uint32_t before = place ? node_at(graph, place)->previous : graph->last;
  int64_t width = GAP * (int64_t)(count + 1);
  *low = before ? node_at(graph, before)->rank : place ? node_at(graph, place)->rank - width : -width / 2;
  *high = place ? node_at(graph, place)->rank : *low + width;
}

static void put(struct ctg_graph *graph, uint32_t node, uint32_t place, size_t more) {
  int64_t low, high;
  bounds(graph, place, more + 1, &low, &high);
  if (low < -FURTHEST || high > FURTHEST) {
    spread(graph, graph->first, graph->nodes.live - 1, 0, GAP);
    bounds(graph, place, more + 1, &low, &high);
  }
  if (high - low < 2) {
    make_room_around(graph, place);
    bounds(graph, place, more + 1, &low, &high);
  }
  int64_t distance = (high - low) / (int64_t)(more + 2);
  node_at(graph, node)->rank = low + (distance ? distance : 1);
  link_before(graph, node, place);
}

void ctg_order_append(struct ctg_graph *graph, uint32_t node) { put(graph, node, 0, 0); }

void ctg_order_move(struct ctg_graph *graph, uint32_t node, uint32_t place, size_t more) {
  ctg_order_remove(graph, node);
  put(graph, node, place, more);
}
