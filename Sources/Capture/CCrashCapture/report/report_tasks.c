// All live Swift tasks: the oldest tasks, and for each different chain the oldest task with it. Reads that cannot
// fault.

#include "processor/settings.h"
#include "report/report_cuts.h"
#include "report/report_stages.h"
#include "report/report_words.h"
#include "report/task_choice.h"
#include "tasks/earlier_looks.h"

static void write_thread(ck_report *report, uint64_t id) {
  int thread = ck_thread_of_task(&report->threads, id);
  if (thread != 0) crp_json_integer(&report->json, "thread", thread);
}

static void write_awaits(crp_json *json, const ck_task_facts *facts) {
  crp_json_begin_object(json, "awaits");
  crp_json_text(json, "kind", ck_awaited_name(facts->awaits));
  if (facts->awaited_id > 0) crp_json_integer(json, "id", (int64_t)facts->awaited_id);
  if (facts->awaits == CK_AWAITS_ACTOR) crp_json_address(json, "address", facts->awaited_address);
  crp_json_end(json);
}

// --- Kinds -----------------------------------------------------------------------------------------------------

static void write_chain(ck_report *report, const ck_task_record *record, bool is_example) {
  crp_json *json = &report->json;
  ck_all_tasks *tasks = &report->tasks;
  const ck_task_kind *kind = record->kind == CK_TASK_KIND_NONE ? NULL : &tasks->kinds[record->kind];
  if (kind && !is_example) {
    crp_json_integer(json, "framesOf", (int64_t)tasks->records[kind->first].id);
    return;
  }
  if (kind && kind->count > 1) crp_json_integer(json, "alike", kind->count);
  uint8_t flags[TERM_TASK_FRAMES_MAX];
  for (size_t i = 0; i < tasks->chain.count; ++i) flags[i] = CK_FRAME_ASYNC_RESUME_POINT;
  ck_stack stack = {.addresses = tasks->chain.addresses, .flags = flags, .count = (uint32_t)tasks->chain.count};
  bool is_whole = tasks->chain.is_whole && tasks->chain.omitted == 0;
  stack.end = is_whole ? CK_END_ENTRY : CK_END_TOO_DEEP;
  ck_write_frames(json, &stack);
}

// --- Stuck tasks ----------------------------------------------------------------------------------------------------

static bool is_stuck(const ck_report *report, uint64_t id) {
  size_t low = 0, high = report->stuck_task_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (report->stuck_tasks[middle] == id) return true;
    if (report->stuck_tasks[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

// --- The section -----------------------------------------------------------------------------------------------

static bool write_one(ck_report *report, size_t index, bool is_example) {
  const ck_task_record *record = &report->tasks.records[index];
  crp_json *json = &report->json;
  ck_task_facts facts;
  if (!ck_all_tasks_read(&report->images, &report->tasks, record, &facts)) return false;
  crp_json_begin_object(json, NULL);
  crp_json_integer(json, "id", (int64_t)facts.identity.id);
  if (facts.identity.name_size > 0) crp_json_string(json, "name", facts.identity.name, facts.identity.name_size);
  if (facts.parent > 0) crp_json_integer(json, "parent", (int64_t)facts.parent);
  crp_json_text(json, "state", ck_task_state_name(facts.state));
  if (facts.state == CK_TASK_RUNNING) write_thread(report, facts.identity.id);
  ck_write_context(json, facts.context);
  crp_json_integer(json, "priority", facts.priority);
  if (facts.is_cancelled) crp_json_boolean(json, "isCancelled", true);
  if (facts.awaits != CK_AWAITS_NOTHING) write_awaits(json, &facts);
  uint64_t unmoved_ns = ck_earlier_looks_unmoved(record, report->captured_ns);
  if (unmoved_ns > 0) crp_json_seconds(json, "unmovedFor", unmoved_ns);
  if (is_stuck(report, record->id)) crp_json_boolean(json, "isStuck", true);
  if (record->chain != 0) write_chain(report, record, is_example);
  crp_json_end(json);
  return true;
}

void ck_write_tasks(ck_report *report) {
  crp_json *json = &report->json;
  ck_all_tasks *tasks = &report->tasks;
  if (!ck_current_settings.tasks) return;
  ck_all_tasks_find(&report->images, tasks);
  if (tasks->why_none) return;
  if (tasks->limit.is_over) ck_report_cut(report, "tasks", "time limit");
  ck_tasks_choose_examples(&report->images, tasks);
  size_t written = 0, gone = 0;
  crp_json_begin_array(json, "tasks");
  for (size_t i = 0; i < tasks->count; ++i) {
    if (!ck_task_is_listed(tasks, i) && !is_stuck(report, tasks->records[i].id)) continue;
    if (write_one(report, i, ck_task_shows_chain(tasks, i)))
      ++written;
    else
      ++gone;
  }
  crp_json_end(json);
  crp_json_integer(json, "omittedTasks", (int64_t)(tasks->count - written - gone + tasks->omitted));
}

void ck_write_task_search(ck_report *report) {
  crp_json *json = &report->json;
  const ck_all_tasks *tasks = &report->tasks;
  crp_json_begin_object(json, "tasks");
  if (!ck_current_settings.tasks || tasks->why_none) {
    crp_json_text(json, "none", ck_current_settings.tasks ? tasks->why_none : "tasks=no");
  } else {
    crp_json_text(json, "foundBy", "memorySearch");
    crp_json_integer(json, "count", (int64_t)(tasks->count + tasks->omitted));
    crp_json_integer(json, "searchedBytes", (int64_t)tasks->walk.total);
    crp_json_seconds(json, "time", tasks->nanoseconds);
    if (tasks->limit.is_over) crp_json_boolean(json, "isCut", true);
  }
  crp_json_end(json);
}
