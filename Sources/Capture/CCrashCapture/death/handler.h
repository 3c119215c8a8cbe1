#pragma once
// The signal handlers: their order, which thread captures, and how the process ends.

#include <stdbool.h>

#include "report/report.h"

#pragma GCC visibility push(hidden)

/// Puts the handlers in place; `report` is the memory set aside. Not for handlers. Returns 0 or errno.
int ck_handlers_install(ck_report *report);

/// Puts back what was there before, for good: another copy of this code takes over. Not for handlers.
void ck_handlers_remove(void);

#pragma GCC visibility pop
