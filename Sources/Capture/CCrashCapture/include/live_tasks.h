#pragma once
// The Swift tasks of a process that continues. Nothing here is for handlers.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live_result.h"
#include "task_facts.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

/// A task, while it is visited.
typedef struct ck_live_task {
  ck_task_facts facts;
  /// How long ago an earlier search or report saw it first as it stands, in nanoseconds; 0 if the last one did not.
  uint64_t unmoved_ns;
  /// Where it goes on, then its callers outwards; none if a thread runs it.
  const uint64_t *addresses;
  size_t address_count;
  uint64_t object;  // where it lies
} ck_live_task;

typedef struct ck_live_tasks {
  int error;             // 0, an errno, or one of live_result.h
  const char *why_none;  // a constant, if no task can be found in this program
  bool is_cut;           // the time was up before all memory was searched
  size_t omitted;        // tasks that were found and not visited: they moved, or there were too many
} ck_live_tasks;

/// Whether CrashKit is installed with its option for tasks on.
bool ck_tasks_can_be_seen(void);

/// Calls `visit` for each task, the oldest first. From any thread. Searches and captures take turns: `visit` must make
/// none.
void ck_live_tasks_visit(void (*visit)(void *context, const ck_live_task *task), void *context, ck_live_tasks *result);

/// A hash of where a task stands that no thread runs, and of what it keeps in memory of its own: another one if it went
/// on and came back with other values. For `visit`.
uint64_t ck_live_task_place(const ck_live_task *task);

/// Makes a report of all threads, of the kind `stuckTask`, in which the tasks with these ids are marked, and goes on.
/// `ids` are in ascending order.
void ck_report_stuck_tasks(const char *description, size_t length, const uint64_t *ids, size_t count,
                           ck_live_result *result);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
