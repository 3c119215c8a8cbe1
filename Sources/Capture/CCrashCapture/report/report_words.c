// Tables, and a search in one. Async-signal-safe.

#include "report/report_words.h"

#include <stdatomic.h>
#include <stddef.h>

const char *ck_thread_state_name(const ck_thread *thread) {
  if (thread->fault) return "crashing";
  switch (thread->state) {
    case 'R': return "running";
    case 'S': return "sleeping";
    case 'D': return "disk sleep";
    case 'T': return "stopped";
    case 't': return "tracing stop";
    case 'Z': return "zombie";
    case 'X': return "dead";
    case 'I': return "idle";
    case 'P': return "parked";
    default: return NULL;
  }
}

const char *ck_thread_why_not_stopped(const ck_thread *thread) {
  if (thread->state == 'Z' || thread->state == 'X') return "the thread has exited";
  if (atomic_load_explicit(&thread->answer, memory_order_relaxed) == CK_ANSWER_COMING) return "did not answer in time";
  if (ck_thread_blocks(thread)) return "all signals blocked";
  if (thread->stop_signal == 0) return "no signal could be sent to it";
  if (thread->state == 'D') return "in uninterruptible sleep";
  return "did not answer in time";
}

const char *ck_task_state_name(ck_task_state state) {
  static const char *const names[] = {
      [CK_TASK_SUSPENDED] = "suspended", [CK_TASK_ENQUEUED] = "enqueued", [CK_TASK_RUNNING] = "running"};
  return names[state];
}

const char *ck_awaited_name(ck_awaited awaited) {
  static const char *const names[] = {
      [CK_AWAITS_TASK] = "task",   [CK_AWAITS_ASYNC_LET] = "asyncLet",
      [CK_AWAITS_GROUP] = "group", [CK_AWAITS_CONTINUATION] = "continuation",
      [CK_AWAITS_ACTOR] = "actor", [CK_AWAITS_UNKNOWN] = "unknown",
  };
  return names[awaited];
}

int ck_thread_of_task(const ck_threads *threads, uint64_t task) {
  for (size_t i = 0; i < threads->count; ++i)
    if (!threads->entries[i].gone && threads->entries[i].task.own.id == task) return threads->entries[i].tid;
  return 0;
}
