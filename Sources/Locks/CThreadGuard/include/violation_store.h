#pragma once
// Violations kept in memory until the program takes them.

#include <stdbool.h>
#include <stddef.h>

#include "violation.h"

#pragma GCC visibility push(hidden)

/// Copies a violation and all that it points to. False if there is no room. Allocates nothing but pages of its own.
bool ctg_store_keep(const struct ctg_violation *violation);

/// Whether the program wants to be given each violation (ctg_listen).
bool ctg_program_listens(void);

/// Says that the program wants to be given each violation itself: they are then kept for it whatever the mode, and
/// standard error gets no lines. Safe from any thread.
void ctg_listen(bool wanted);

/// Waits until a violation has been kept. For a thread that does nothing else.
void ctg_wait_for_violation(void);

/// Hands out the kept violations, oldest first, and forgets them. What `visit` is given lasts for the call. Returns how
/// many were not kept for lack of room since the last time.
size_t ctg_take_violations(void (*visit)(const struct ctg_violation *violation, void *context), void *context);

#pragma GCC visibility pop
