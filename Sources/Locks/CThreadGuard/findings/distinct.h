#pragma once
// The violations that have been seen. For one thread at a time.

#include <stdbool.h>
#include <stdint.h>

#include "violation.h"

#pragma GCC visibility push(hidden)

enum ctg_sighting {
  CTG_NEW,
  CTG_SEEN,      // reported, or to be reported, already
  CTG_SILENCED,  // a suppression rule matched it: `rule` says which
};

/// A number for what makes two violations the same wherever they are seen: the rule that was broken, and the stacks.
uint64_t ctg_fingerprint(const struct ctg_violation *violation);

/// Whether a violation was seen before. The table has room for 8,192; each further violation counts as seen.
enum ctg_sighting ctg_distinct_find(uint64_t fingerprint, int *rule);

/// Adds a violation to the table. `rule` is the suppression that matched it, or -1.
void ctg_distinct_add(uint64_t fingerprint, int rule);

/// Forgets all: in a child of fork.
void ctg_distinct_forget(void);

#pragma GCC visibility pop
