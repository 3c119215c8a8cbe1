#pragma once
// Makes a complete report, stage by stage.

#include <stddef.h>

#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

/// Empties the memory of a report that another process left in it: the parent, at a fork, or a child of vfork.
/// Async-signal-safe.
void ck_report_forget(ck_report *report);

/// Makes the whole report: stops the threads, unwinds them, writes the file and the summary. Async-signal-safe; each
/// stage is guarded, so that a fault in one costs that stage only. Called on the crashed thread, once.
void ck_report_make(ck_report *report);

/// Tests only: called as each stage begins, inside its guard, with the stage's place in the order. NULL otherwise.
extern void (*ck_report_stage_begins)(size_t stage);
/// How many stages there are, and what the report calls them if they are cut short.
size_t ck_report_stage_count(void);
const char *ck_report_stage_name(size_t stage);

#pragma GCC visibility pop
