#include "CDiagdemoCrashes.h"

#include <stddef.h>

// Of the Swift runtime.
__attribute__((swiftcall)) void *swift_task_getCurrent(void);
__attribute__((swiftcall)) uint64_t swift_task_getJobTaskId(void *task);

uint64_t crash_current_task_id(void) {
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}
