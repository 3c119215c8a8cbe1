// Violations on standard error, one line each.

#include "violations.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

__thread int ctg_busy __attribute__((tls_model("initial-exec"), visibility("hidden")));

int ctg_violation_report(const struct ctg_violation *violation) {
  static const char *const kinds[CTG_KIND_COUNT] = {"lockOrderInversion", "deadlock", "lockMisuse",
                                                    "mainQueueViolation", "dataRace", "nan", "hang"};
  static const char *const severities[] = {"note", "warning", "error"};
  char line[512];
  int size = snprintf(line, sizeof line, "ThreadGuard: %s: %s (%s): %s; %zu locks, %zu orders\n",
                      severities[violation->severity], kinds[violation->kind], violation->code, violation->message,
                      violation->lock_count, violation->edge_count);
  for (size_t i = 0; i < violation->edge_count && i < 8; ++i) {
    const struct ctg_edge *edge = &violation->edges[i];
    size += snprintf(line + size, sizeof line - (size_t)size, "  %zu to %zu by %d %s\n", edge->from, edge->to,
                     edge->thread.id, edge->thread.name);
    if (size >= (int)sizeof line) break;
  }
  if (size >= (int)sizeof line) size = (int)sizeof line - 1;
  return write(2, line, (size_t)size) == size;
}
