// All tasks, as the program asks for them. Ordinary code of a living process.

#include "live_tasks.h"

#include <string.h>

#include "CGround/clock.h"
#include "CGround/hash.h"
#include "live/live_report.h"
#include "processor/settings.h"
#include "tasks/earlier_looks.h"
#include "tasks/task_memory.h"

bool ck_tasks_can_be_seen(void) { return ck_current_settings.enabled && ck_current_settings.tasks; }

static void visit_all(ck_report *report, void (*visit)(void *, const ck_live_task *), void *context,
                      ck_live_tasks *result) {
  ck_all_tasks *tasks = &report->tasks;
  result->is_cut = tasks->limit.is_over;
  result->omitted = tasks->omitted;
  uint64_t now = cgr_monotonic_ns();
  for (size_t i = 0; i < tasks->count; ++i) {
    const ck_task_record *record = &tasks->records[i];
    ck_live_task task = {.addresses = tasks->chain.addresses, .object = record->object};
    if (!ck_all_tasks_read(&report->images, tasks, record, &task.facts)) {
      ++result->omitted;
      continue;
    }
    if (record->chain != 0) task.address_count = tasks->chain.count;
    task.unmoved_ns = ck_earlier_looks_unmoved(record, now);
    visit(context, &task);
  }
  ck_live_keep_tasks(report);
}

void ck_live_tasks_visit(void (*visit)(void *context, const ck_live_task *task), void *context, ck_live_tasks *result) {
  memset(result, 0, sizeof *result);
  ck_report *report = ck_live_report_shared(&result->error);
  if (!report) return;
  ck_live_lock();
  if (!ck_live_find_tasks(report))
    result->error = CK_LIVE_CRASHING;
  else if (report->tasks.why_none)
    result->why_none = report->tasks.why_none;
  else
    visit_all(report, visit, context, result);
  ck_live_unlock();
}

uint64_t ck_live_task_place(const ck_live_task *task) {
  uint64_t hash = ck_task_memory_hash(task->object);
  for (size_t i = 0; i < task->address_count; ++i) hash = cgr_hash_add(hash, task->addresses[i]);
  return hash;
}

void ck_report_stuck_tasks(const char *description, size_t length, const uint64_t *ids, size_t count,
                           ck_live_result *result) {
  memset(result, 0, sizeof *result);
  ck_report *report = ck_live_report_shared(&result->error);
  if (!report) return;
  ck_live_lock();
  report->description = CGR_TEXT(report->description_bytes);
  cgr_text_bytes(&report->description, description, length);
  report->stuck_tasks = ids;
  report->stuck_task_count = count;
  if (ck_live_take_all(report, "stuckTask", __builtin_return_address(0)))
    ck_live_write(report, false, result);
  else
    result->error = CK_LIVE_CRASHING;
  report->stuck_task_count = 0;
  ck_live_unlock();
}
