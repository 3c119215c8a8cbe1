#pragma once
// Violations kept in memory until the program takes them.

#include <stdbool.h>

#include "violations.h"

#pragma GCC visibility push(hidden)

/// Copies a violation and all that it points to. False where there is no room. Allocates nothing but pages of its own.
bool ctg_store_keep(const struct ctg_violation *violation);

/// Whether the program wants to be given each violation (ctg_listen).
bool ctg_program_listens(void);

#pragma GCC visibility pop
