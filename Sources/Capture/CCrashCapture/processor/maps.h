#pragma once
// The mappings around a few addresses, found in one pass over /proc/self/maps. Async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct ck_mapping {
  bool found;
  uint64_t start, end;
  bool readable, writable, executable, is_private;
  char path[256];
} ck_mapping;

/// One address asked about, and the answer: its own mapping, and the nearest ones below and above it.
typedef struct ck_map_query {
  uint64_t address;
  ck_mapping at, below, above;
} ck_map_query;

/// Reads a line of /proc/self/maps that ends before `end`. Returns false if the line describes no mapping; else it sets
/// `found`. Async-signal-safe.
bool ck_mapping_parse(const char *line, const char *end, ck_mapping *mapping);

/// Answers all queries. Returns false if the file cannot be read. Async-signal-safe.
bool ck_maps_query(ck_map_query *queries, size_t count);

#pragma GCC visibility pop
