// The fields of a live task agree with each other. Reads that cannot fault.

#include "tasks/task_check.h"

#include "tasks/swift_task.h"

static bool is_freed(const uint8_t *task) {
  uint64_t references = ck_task_word(task, TERM_TASK_REFERENCES);
  return !(references & TERM_REFERENCES_IS_ELSEWHERE) && references & TERM_REFERENCES_IS_DEINITING;
}

static bool has_sound_status(const uint8_t *task) {
  uint64_t status = ck_task_word(task, TERM_TASK_STATUS);
  uint64_t both = TERM_STATUS_RUNNING | TERM_STATUS_ENQUEUED;
  bool has_dependency = ck_task_word(task, TERM_TASK_DEPENDENCY) != 0;
  return (status & ~(uint64_t)TERM_STATUS_KNOWN) == 0 && !(status & TERM_STATUS_COMPLETE) && (status & both) != both
         && !(status & TERM_STATUS_HAS_DEPENDENCY) == !has_dependency
         && ck_task_word(task, TERM_TASK_BASE_PRIORITY) <= (status & TERM_STATUS_PRIORITY);
}

static bool has_sound_slab(const uint8_t *task, ck_page_cache *pages) {
  uint64_t slab = ck_task_word(task, TERM_TASK_FIRST_SLAB), first;
  if (slab == 0) return true;
  return ck_page_cache_read(pages, slab, &first, sizeof first) == sizeof first
         && first == ck_task_layout_found.slab_metadata;
}

static bool has_sound_parent(const uint8_t *task) {
  if (!(ck_task_half(task, TERM_TASK_FLAGS) & TERM_JOB_IS_CHILD)) return true;
  ck_task_copy parent;
  return ck_swift_task_parent(task, &parent) && has_sound_status(parent.bytes);
}

// A task that was given a name keeps a record of it from before it is enqueued to its last step. Without one, the
// runtime is still making the task.
static bool is_made(const uint8_t *task) {
  return !(ck_task_half(task, TERM_TASK_FLAGS) & TERM_JOB_HAS_NAME) || ck_task_word(task, TERM_TASK_RECORD) != 0
         || ck_task_word(task, TERM_TASK_STATUS) & TERM_STATUS_RUNNING;
}

bool ck_task_is_live(const crp_images *images, const uint8_t *task, ck_page_cache *pages) {
  if (ck_task_word(task, 0) != ck_task_layout_found.task_metadata) return false;
  if ((ck_task_half(task, TERM_TASK_FLAGS) & TERM_JOB_KIND) != 0 || is_freed(task)) return false;
  if (ck_task_id(task) == 0 || ck_task_id(task) >= TERM_TASK_ID_END || !has_sound_status(task) || !is_made(task))
    return false;
  return crp_images_hold_code(images, ck_task_word(task, TERM_TASK_RESUME))
         && ck_task_word(task, TERM_TASK_CONTEXT) != 0 && has_sound_slab(task, pages) && has_sound_parent(task);
}

bool ck_task_is_helper(const uint8_t *task) {
  uint64_t status = ck_task_word(task, TERM_TASK_STATUS);
  bool is_suspended = !(status & (TERM_STATUS_RUNNING | TERM_STATUS_ENQUEUED));
  return is_suspended && !(status & TERM_STATUS_HAS_DEPENDENCY) && ck_task_word(task, TERM_TASK_RECORD) == 0
         && ck_task_word(task, TERM_TASK_FIRST_SLAB) == 0
         && !(ck_task_half(task, TERM_TASK_FLAGS) & (TERM_JOB_PRIORITY | TERM_JOB_HAS_NAME | TERM_JOB_IS_CHILD));
}
