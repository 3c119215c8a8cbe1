#pragma once
// Checks whether a Swift task still exists: a freed task keeps its first word.

#include <stdbool.h>
#include <stdint.h>

#include "CReportParts/images.h"
#include "processor/page_cache.h"
#include "tasks/task_layout.h"

#pragma GCC visibility push(hidden)

/// `task` is a copy of TERM_TASK_BYTES. Async-signal-safe: a few reads that cannot fault.
bool ck_task_is_live(const crp_images *images, const uint8_t *task, ck_page_cache *pages);

/// Whether the runtime made it for a timer: each `Task.sleep` has such a task, which no program knows.
/// Async-signal-safe.
bool ck_task_is_helper(const uint8_t *task);

#pragma GCC visibility pop
