#pragma once
// Cycles that must be reported, on their way from the graph to a violation.

#include "locks/graph.h"
#include "locks/witnesses.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// A violation with all that it points to, in pages of its own.
struct ctg_finding {
  struct ctg_finding *next;
  size_t size;
  struct ctg_violation violation;
};

/// Reports it, without any lock of ours, and gives its pages back. Returns the next one.
struct ctg_finding *ctg_finding_report(struct ctg_finding *finding);

/// A search for a cycle that can deadlock: of its edges one witness each, which lead from one to the next in modes that
/// exclude each other, with no gate common to two of them. One that two threads or more have made goes before one
/// that a single thread made.
struct ctg_cycle_search {
  uint32_t *edges, *chosen;     // of the path, and the witness in its way
  uint32_t *kept_edges, *kept;  // the best cycle so far
  unsigned length, kept_length;
  bool has_threads;  // the best one was made by more than one thread
  unsigned steps;    // taken so far
  unsigned left;     // steps, once one was found that a single thread made
};

/// False when there is no memory.
bool ctg_cycle_search_begin(struct ctg_cycle_search *search, struct ctg_graph_visitor *visitor);

/// What was found, unless it was reported before; then NULL.
struct ctg_finding *ctg_cycle_search_end(struct ctg_cycle_search *search);

/// The violation that the best cycle of a search is.
struct ctg_finding *ctg_cycle_finding(const struct ctg_cycle_search *search);

/// Two locks of one class were taken one within the other. NULL if that was reported before, or both share them.
struct ctg_finding *ctg_find_same_class(uint32_t from, uint32_t to, const struct ctg_witness *witness);

#pragma GCC visibility pop
