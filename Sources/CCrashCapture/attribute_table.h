#pragma once
// The attribute table's layout; setting is in include/attributes.h, reading in include/region_view.h.
#include "include/attributes.h"
#include "region.h"

#pragma GCC visibility push(hidden)

/// Copies the attributes of a region to an empty table: for a forked child, which keeps its parent's. Async-signal-safe.
void ck_attributes_copy(const ck_region_view *from, unsigned char *to_table);

#pragma GCC visibility pop
