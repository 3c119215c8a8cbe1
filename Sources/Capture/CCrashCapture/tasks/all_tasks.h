#pragma once
// All live Swift tasks, found by a search of memory. A running program pays nothing for it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"
#include "swift_task_search.h"
#include "task_facts.h"
#include "tasks/task_chain.h"
#include "tasks/writable_memory.h"

#pragma GCC visibility push(hidden)

#define CK_TASK_KIND_NONE UINT32_MAX

typedef struct ck_task_record {
  uint64_t object;
  uint64_t id;
  uint64_t chain;  // the hash of its chain; 0: a thread runs it
  uint32_t kind;   // which of the kinds; CK_TASK_KIND_NONE: the chain was not compared
} ck_task_record;

typedef struct ck_task_kind {
  uint64_t chain;
  uint32_t count;  // of tasks with this chain; 0 for an unused entry
  uint32_t first;  // the oldest of them: which of the records
} ck_task_kind;

typedef struct ck_all_tasks {
  size_t count;
  size_t omitted;        // found after the table was full
  const char *why_none;  // a constant, if there was no search
  uint64_t nanoseconds;
  ck_task_record records[TERM_TASKS_MAX];  // by id, the oldest first
  ck_task_kind kinds[TERM_TASK_CHAINS_MAX];
  bool is_alive;        // the process goes on; said before the search
  ck_time_limit limit;  // says whether the time was up first
  ck_memory_walk walk;  // says how much memory was searched
  ck_page_cache pages;
  ck_task_chain chain;
} ck_all_tasks;

/// How long a search may take by the clock, if the process dies,
#define CK_TASK_SEARCH_NS 150000000ull
/// and of the thread's processor time, if it goes on.
#define CK_TASK_SEARCH_ALIVE_NS 500000000ull

/// Finds them, for a limited time. `tasks` was zeroed once. Async-signal-safe.
void ck_all_tasks_find(const crp_images *images, ck_all_tasks *tasks);

/// Reads a task that was found, and its chain into `tasks->chain` unless a thread runs it. Returns false if the task
/// has moved since, or moves meanwhile, as it may in a process that goes on. Async-signal-safe.
bool ck_all_tasks_read(const crp_images *images, ck_all_tasks *tasks, const ck_task_record *record,
                       ck_task_facts *facts);

#pragma GCC visibility pop
