// The choice of tasks. Reads that cannot fault.

#include "report/task_choice.h"

// The oldest of those with this chain that still stand where they were found.
static void choose_example(const crp_images *images, ck_all_tasks *tasks, ck_task_kind *kind) {
  ck_task_facts facts;
  for (; kind->first < tasks->count; ++kind->first) {
    const ck_task_record *record = &tasks->records[kind->first];
    if (record->chain == kind->chain && ck_all_tasks_read(images, tasks, record, &facts)) return;
  }
}

void ck_tasks_choose_examples(const crp_images *images, ck_all_tasks *tasks) {
  for (size_t i = 0; i < TERM_TASK_CHAINS_MAX; ++i)
    if (tasks->kinds[i].count > 0) choose_example(images, tasks, &tasks->kinds[i]);
}

bool ck_task_shows_chain(const ck_all_tasks *tasks, size_t index) {
  uint32_t kind = tasks->records[index].kind;
  return kind == CK_TASK_KIND_NONE || tasks->kinds[kind].first == index;
}

bool ck_task_is_listed(const ck_all_tasks *tasks, size_t index) {
  bool is_of_a_kind = tasks->records[index].kind != CK_TASK_KIND_NONE;
  return index < TERM_TASKS_LISTED_MAX || (is_of_a_kind && ck_task_shows_chain(tasks, index));
}
