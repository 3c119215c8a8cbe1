// Locks that tasks left with the thread that they ran on. Plain memory only, until something is wrong.

#include "misuse/task_jobs.h"

#include "misuse/misuse.h"
#include "threads/swift_tasks.h"
#include "threads/thread_state.h"

static bool is_left(const struct ctg_thread_state *self, uint32_t at) {
  const struct ctg_held *held = &self->held[at];
  return ctg_is_lock(held) && ctg_has_still(held) && self->tasks[at] && self->tasks[at] != ctg_task_now();
}

__attribute__((noinline)) void ctg_task_jobs_change(void) {
  struct ctg_thread_state *self = ctg_task_module ? ctg_self() : NULL;
  if (!self) return;
  const uintptr_t *frame = __builtin_frame_address(0);
  for (uint32_t i = 0; i < self->depth; ++i) {
    if (!is_left(self, i)) continue;
    struct ctg_held held = self->held[i], place = ctg_place(held.address, (enum ctg_lock_type)held.type, 0, frame);
    place.identity = held.identity;
    ctg_held_across_await(self, &place, &held, NULL);
  }
}
