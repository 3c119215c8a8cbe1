// The layout of the runtime that is there, by what it has for debuggers.

#include "tasks/task_layout.h"

#include <dlfcn.h>

// Weak, for programs that hold the Swift runtime inside and export nothing
// (swift, stdlib/public/Concurrency/Debug.h).
extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata __attribute__((weak));
extern const size_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));

ck_task_layout ck_task_layout_found = {.why_not = "CrashKit was not installed"};

#define EXPORTED(name) (&name ? (const void *)&name : dlsym(RTLD_DEFAULT, #name))

void ck_task_layout_prepare(void) {
  const uint32_t *version = EXPORTED(_swift_concurrency_debug_internal_layout_version);
  const size_t *size = EXPORTED(_swift_concurrency_debug_asyncTaskSize);
  const uint64_t *task = EXPORTED(_swift_concurrency_debug_asyncTaskMetadata);
  const uint64_t *slab = EXPORTED(_swift_concurrency_debug_asyncTaskSlabMetadata);
  ck_task_layout found = {0};
  if (!version || !size || !task)
    found.why_not = "no Swift concurrency runtime that can be seen";
  else if (*version != CK_TASK_LAYOUT_VERSION || *size != CK_TASK_SIZE)
    found.why_not = "a Swift concurrency runtime of another layout";
  else
    found = (ck_task_layout){.is_known = true, .task_metadata = *task, .slab_metadata = slab ? *slab : 0};
  ck_task_layout_found = found;
}
