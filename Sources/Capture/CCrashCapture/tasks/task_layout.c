// The layout of the program's runtime, from its variables for debuggers.

#include "tasks/task_layout.h"

#include <dlfcn.h>

#include "CGround/look_up.h"
#include "swift_task_search.h"
#include "tasks/static_runtime.h"

// Weak, for programs that hold the Swift runtime inside and export nothing
// (swift, stdlib/public/Concurrency/Debug.h).
extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const size_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata __attribute__((weak));

static const char *const names[CK_WORD_COUNT] = {
    [CK_WORD_VERSION] = TERM_TASK_WORD_VERSION,
    [CK_WORD_TASK_SIZE] = TERM_TASK_WORD_SIZE,
    [CK_WORD_TASK_METADATA] = TERM_TASK_WORD_METADATA,
    [CK_WORD_SLAB_METADATA] = TERM_TASK_WORD_SLAB_METADATA,
};

static bool was_searched;  // the program's file, in vain or not

ck_task_layout ck_task_layout_found = {.why_not = "CrashKit was not installed"};

// The words at these addresses; those that cannot be read are 0.
static ck_task_layout layout_at(const uint64_t addresses[CK_WORD_COUNT]) {
  uint32_t version = 0;
  uint64_t size = 0, task = 0, slab = 0;
  cgr_memory_read(addresses[CK_WORD_VERSION], &version, sizeof version);
  cgr_memory_read(addresses[CK_WORD_TASK_SIZE], &size, sizeof size);
  cgr_memory_read(addresses[CK_WORD_TASK_METADATA], &task, sizeof task);
  cgr_memory_read(addresses[CK_WORD_SLAB_METADATA], &slab, sizeof slab);
  if (version == 0 || size == 0 || task == 0) return (ck_task_layout){.why_not = TERM_TASKS_NO_RUNTIME};
  if (version != TERM_TASK_LAYOUT_VERSION || size != TERM_TASK_SIZE)
    return (ck_task_layout){.why_not = TERM_TASKS_OTHER_LAYOUT};
  return (ck_task_layout){.is_known = true, .task_metadata = task, .slab_metadata = slab};
}

void ck_task_layout_prepare(void) {
  const void *linked[CK_WORD_COUNT] = {
      [CK_WORD_VERSION] = &_swift_concurrency_debug_internal_layout_version,
      [CK_WORD_TASK_SIZE] = &_swift_concurrency_debug_asyncTaskSize,
      [CK_WORD_TASK_METADATA] = &_swift_concurrency_debug_asyncTaskMetadata,
      [CK_WORD_SLAB_METADATA] = &_swift_concurrency_debug_asyncTaskSlabMetadata,
  };
  uint64_t addresses[CK_WORD_COUNT];
  bool is_there = false;
  for (size_t i = 0; i < CK_WORD_COUNT; ++i) {
    addresses[i] = (uintptr_t)(linked[i] ? linked[i] : cgr_look_up(RTLD_DEFAULT, names[i]));
    is_there = is_there || addresses[i] != 0;
  }
  ck_task_layout_found = layout_at(addresses);
  was_searched = is_there;
}

void ck_task_layout_search(const crp_images *images, uint8_t *room, size_t size, ck_time_limit *limit) {
  uint64_t addresses[CK_WORD_COUNT];
  if (was_searched) return;
  if (ck_static_runtime_find(images, names, addresses, room, size, limit)) ck_task_layout_found = layout_at(addresses);
  was_searched = !limit->is_over;
}
