// A task's state and what it waits for, from its fields and its dependency record.

#include "tasks/task_reading.h"

#include "CGround/memory.h"
#include "tasks/swift_task.h"

static ck_task_state state_of(uint64_t status) {
  if (status & TERM_STATUS_RUNNING) return CK_TASK_RUNNING;
  return status & TERM_STATUS_ENQUEUED ? CK_TASK_ENQUEUED : CK_TASK_SUSPENDED;
}

// What a task waits for that is another one: how it came to be says how it is awaited.
static void read_awaited_task(uint64_t object, ck_task_facts *facts) {
  ck_task_copy other;
  bool is_task = ck_swift_task_copy(object, &other);
  bool is_async_let = is_task && ck_task_half(other.bytes, TERM_TASK_FLAGS) & TERM_JOB_IS_ASYNC_LET;
  facts->awaits = is_async_let ? CK_AWAITS_ASYNC_LET : CK_AWAITS_TASK;
  if (is_task) facts->awaited_id = ck_task_id(other.bytes);
}

static void read_awaited(const uint8_t *task, ck_task_facts *facts) {
  uint64_t dependency = ck_task_word(task, TERM_TASK_DEPENDENCY), record[5] = {0};
  if (facts->state == CK_TASK_RUNNING || (facts->state == CK_TASK_ENQUEUED && dependency == 0)) return;
  bool is_known = dependency != 0 && cgr_memory_read(dependency, record, sizeof record) == sizeof record
                  && (record[0] & TERM_RECORD_KIND) == TERM_RECORD_DEPENDENCY;
  uint64_t kind = is_known ? record[4] & TERM_RECORD_KIND : 0;
  if (kind == TERM_WAITS_FOR_TASK) return read_awaited_task(record[2], facts);
  // For a thread of the pool alone.
  if (kind == TERM_WAITS_FOR_EXECUTOR && record[2] == 0) return;
  facts->awaits = CK_AWAITS_UNKNOWN;
  if (kind == TERM_WAITS_FOR_CONTINUATION) facts->awaits = CK_AWAITS_CONTINUATION;
  if (kind == TERM_WAITS_FOR_GROUP) facts->awaits = CK_AWAITS_GROUP;
  if (kind == TERM_WAITS_FOR_EXECUTOR) {
    facts->awaits = CK_AWAITS_ACTOR;
    facts->awaited_address = record[2];
  }
}

void ck_task_facts_read(const uint8_t *task, ck_task_facts *facts) {
  cgr_zero(facts, sizeof *facts);
  uint64_t status = ck_task_word(task, TERM_TASK_STATUS);
  ck_swift_task_identify(task, &facts->identity);
  facts->context = ck_swift_task_context(task);
  ck_task_copy parent;
  if (ck_swift_task_parent(task, &parent)) facts->parent = ck_task_id(parent.bytes);
  facts->state = state_of(status);
  facts->priority = status & TERM_STATUS_PRIORITY;
  facts->is_cancelled = status & TERM_STATUS_CANCELLED;
  read_awaited(task, facts);
}
