#pragma once
// The place where a suspended Swift task continues, and its callers: its chain of awaits.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"
#include "processor/page_cache.h"
#include "swift_task_search.h"
#include "tasks/task_layout.h"

#pragma GCC visibility push(hidden)

typedef struct ck_task_chain {
  uint64_t addresses[TERM_TASK_FRAMES_MAX];
  size_t count;
  size_t omitted;  // behind those
  uint64_t hash;   // of all of them
  bool is_whole;   // it ended as a task's chain does
} ck_task_chain;

/// Reads the chain of a task that no thread runs, from its copy. Async-signal-safe.
void ck_task_chain_read(const crp_images *images, const uint8_t *task, ck_page_cache *pages, ck_task_chain *chain);

#pragma GCC visibility pop
