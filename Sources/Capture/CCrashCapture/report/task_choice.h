#pragma once
// Chooses the tasks that a report lists, and the task that shows a chain for all tasks with it. Async-signal-safe.

#include <stdbool.h>
#include <stddef.h>

#include "CReportParts/images.h"
#include "tasks/all_tasks.h"

#pragma GCC visibility push(hidden)

/// Makes the oldest task of each kind of chain that still stands where it was found the one that shows the chain.
/// Async-signal-safe.
void ck_tasks_choose_examples(const crp_images *images, ck_all_tasks *tasks);
/// Whether a task's chain is shown with it. Async-signal-safe.
bool ck_task_shows_chain(const ck_all_tasks *tasks, size_t index);
/// Whether a task is listed: the oldest, and those that show the chain for others. Async-signal-safe.
bool ck_task_is_listed(const ck_all_tasks *tasks, size_t index);

#pragma GCC visibility pop
