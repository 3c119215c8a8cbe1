// All Swift tasks that live: the oldest, and of each kind of chain the oldest task with the chain. Reads that cannot
// fault.

#include "CGround/memory.h"
#include "processor/settings.h"
#include "report/report_cuts.h"
#include "report/report_stages.h"
#include "tasks/swift_task.h"
#include "tasks/task_check.h"

#define SEARCH_LIMIT_NS 150000000ull
// So many tasks are written in full; those that stand for a kind come on top of it.
#define WRITTEN_MAX 2048

static const char *state_name(uint64_t status) {
  if (status & CK_STATUS_RUNNING) return "running";
  return status & CK_STATUS_ENQUEUED ? "enqueued" : "suspended";
}

static void write_thread(ck_report *report, uint64_t id) {
  for (size_t i = 0; i < report->threads.count; ++i) {
    const ck_thread *thread = &report->threads.entries[i];
    if (!thread->gone && thread->task.own.id == id) return crp_json_integer(&report->json, "thread", thread->tid);
  }
}

// What a task waits for that is another one: how it came to be says how it is awaited.
static void write_awaited_task(crp_json *json, uint64_t object) {
  ck_task_copy other;
  bool is_task = ck_swift_task_copy(object, &other);
  bool is_async_let = is_task && ck_task_half(other.bytes, CK_TASK_FLAGS) & CK_JOB_IS_ASYNC_LET;
  crp_json_text(json, "kind", is_async_let ? "asyncLet" : "task");
  if (is_task) crp_json_integer(json, "id", (int64_t)ck_task_id(other.bytes));
}

static void write_awaits(crp_json *json, const uint8_t *task) {
  uint64_t status = ck_task_word(task, CK_TASK_STATUS), record[5] = {0};
  uint64_t dependency = ck_task_word(task, CK_TASK_DEPENDENCY);
  if (status & CK_STATUS_RUNNING || (status & CK_STATUS_ENQUEUED && dependency == 0)) return;
  bool is_known = dependency != 0 && cgr_memory_read(dependency, record, sizeof record) == sizeof record
                  && (record[0] & CK_RECORD_KIND) == CK_RECORD_DEPENDENCY;
  crp_json_begin_object(json, "awaits");
  uint64_t kind = is_known ? record[4] & CK_RECORD_KIND : 0;
  if (kind == CK_WAITS_FOR_TASK)
    write_awaited_task(json, record[2]);
  else if (kind == CK_WAITS_FOR_CONTINUATION)
    crp_json_text(json, "kind", "continuation");
  else if (kind == CK_WAITS_FOR_GROUP)
    crp_json_text(json, "kind", "group");
  else if (kind == CK_WAITS_FOR_EXECUTOR) {
    crp_json_text(json, "kind", "actor");
    crp_json_address(json, "address", record[2]);
  } else {
    crp_json_text(json, "kind", "unknown");
  }
  crp_json_end(json);
}

// --- Kinds -----------------------------------------------------------------------------------------------------

// In a process that goes on, the task may have moved since it was found.
static bool copy_unmoved(ck_report *report, const ck_task_record *record, ck_task_copy *copy) {
  ck_all_tasks *tasks = &report->tasks;
  if (!ck_swift_task_copy(record->object, copy) || ck_task_id(copy->bytes) != record->id) return false;
  ck_page_cache_forget(&tasks->pages);
  if (!ck_task_is_live(&report->images, copy->bytes, &tasks->pages)) return false;
  if (record->chain == 0) return true;
  ck_task_chain_read(&report->images, copy->bytes, &tasks->pages, &tasks->chain);
  return tasks->chain.hash == record->chain;
}

// The oldest of those with this chain that still stand where they were found.
static void choose_example(ck_report *report, ck_task_kind *kind) {
  ck_all_tasks *tasks = &report->tasks;
  ck_task_copy copy;
  for (; kind->first < tasks->count; ++kind->first)
    if (tasks->records[kind->first].chain == kind->chain && copy_unmoved(report, &tasks->records[kind->first], &copy))
      return;
}

static void write_chain(ck_report *report, const ck_task_record *record, bool is_example) {
  crp_json *json = &report->json;
  ck_all_tasks *tasks = &report->tasks;
  const ck_task_kind *kind = record->kind == CK_TASK_KIND_NONE ? NULL : &tasks->kinds[record->kind];
  if (kind && !is_example) {
    crp_json_integer(json, "framesOf", (int64_t)tasks->records[kind->first].id);
    return;
  }
  if (kind && kind->count > 1) crp_json_integer(json, "alike", kind->count);
  uint8_t flags[CK_TASK_FRAMES_MAX];
  for (size_t i = 0; i < tasks->chain.count; ++i) flags[i] = CK_FRAME_ASYNC_RESUME_POINT;
  ck_stack stack = {.addresses = tasks->chain.addresses, .flags = flags, .count = (uint32_t)tasks->chain.count};
  bool is_whole = tasks->chain.is_whole && tasks->chain.omitted == 0;
  stack.end = is_whole ? CK_END_ENTRY : CK_END_TOO_DEEP;
  ck_write_frames(json, &stack);
}

// --- The section -----------------------------------------------------------------------------------------------

static bool write_one(ck_report *report, size_t index, bool is_example) {
  const ck_task_record *record = &report->tasks.records[index];
  crp_json *json = &report->json;
  ck_task_copy copy;
  if (!copy_unmoved(report, record, &copy)) return false;
  const uint8_t *task = copy.bytes;
  uint64_t status = ck_task_word(task, CK_TASK_STATUS);
  ck_task_identity identity;
  ck_swift_task_identify(task, &identity);
  crp_json_begin_object(json, NULL);
  crp_json_integer(json, "id", (int64_t)identity.id);
  if (identity.name_size > 0) crp_json_string(json, "name", identity.name, identity.name_size);
  ck_task_copy parent;
  if (ck_task_half(task, CK_TASK_FLAGS) & CK_JOB_IS_CHILD
      && ck_swift_task_copy(ck_task_word(task, CK_TASK_PARENT), &parent))
    crp_json_integer(json, "parent", (int64_t)ck_task_id(parent.bytes));
  crp_json_text(json, "state", state_name(status));
  if (status & CK_STATUS_RUNNING) write_thread(report, identity.id);
  crp_json_integer(json, "priority", (int64_t)(status & CK_STATUS_PRIORITY));
  if (status & CK_STATUS_CANCELLED) crp_json_boolean(json, "isCancelled", true);
  write_awaits(json, task);
  if (record->chain != 0) write_chain(report, record, is_example);
  crp_json_end(json);
  return true;
}

void ck_write_tasks(ck_report *report) {
  crp_json *json = &report->json;
  ck_all_tasks *tasks = &report->tasks;
  if (!ck_current_settings.tasks) return;
  ck_all_tasks_find(&report->images, tasks, SEARCH_LIMIT_NS);
  if (tasks->why_none) return;
  if (tasks->walk.is_late) ck_report_cut(report, "tasks", "time limit");
  for (size_t i = 0; i < CK_TASK_KINDS_MAX; ++i)
    if (tasks->kinds[i].count > 0) choose_example(report, &tasks->kinds[i]);
  size_t written = 0, gone = 0;
  crp_json_begin_array(json, "tasks");
  for (size_t i = 0; i < tasks->count; ++i) {
    uint32_t kind = tasks->records[i].kind;
    bool is_example = kind == CK_TASK_KIND_NONE || tasks->kinds[kind].first == i;
    bool stands_for_others = kind != CK_TASK_KIND_NONE && is_example;
    if (i >= WRITTEN_MAX && !stands_for_others) continue;
    if (write_one(report, i, is_example))
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
    if (tasks->walk.is_late) crp_json_boolean(json, "isCut", true);
  }
  crp_json_end(json);
}
