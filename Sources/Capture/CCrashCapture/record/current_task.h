#pragma once
// The Swift task that the calling thread runs: where the runtime keeps it, and its number for a breadcrumb.

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "swift_task_layout.h"

#pragma GCC visibility push(hidden)

/// The runtime's thread-local variable, and what its tasks begin with. Set once, at install; `module` last.
typedef struct ck_task_variable {
  _Atomic size_t module;  // the loader's number of the runtime's thread-local storage; 0 as long as it is not known
  size_t offset;          // of the variable in it
  uint64_t metadata;      // the first word of each task
} ck_task_variable;

extern ck_task_variable ck_task_variable_found;

/// This thread's variable; NULL until it was looked for and found. It stays where it is as long as the thread lives.
extern _Thread_local const uint64_t *ck_task_of_thread __attribute__((tls_model("initial-exec")));

/// The block of a module's thread-local storage of the thread that has this thread pointer; 0 if it has none yet.
/// Async-signal-safe: nothing is allocated, as the loader's own function may, and what is damaged is not followed.
uintptr_t ck_thread_storage(uintptr_t thread_pointer, size_t module);

/// Looks for this thread's variable. Returns NULL if the thread has not got it yet. Async-signal-safe.
const uint64_t *ck_task_of_thread_find(void);

/// The number of the Swift task that the calling thread runs; 0: none, or none that is known. Takes a few loads, since
/// the runtime keeps a task while it is a thread's current one. Async-signal-safe.
static inline uint64_t ck_task_number_here(void) {
  const uint64_t *variable = ck_task_of_thread;
  if (!variable) {
    if (atomic_load_explicit(&ck_task_variable_found.module, memory_order_acquire) == 0) return 0;
    variable = ck_task_of_thread_find();
  }
  const uint8_t *task = variable ? (const uint8_t *)(uintptr_t)__atomic_load_n(variable, __ATOMIC_RELAXED) : NULL;
  if (!task || *(const uint64_t *)(const void *)task != ck_task_variable_found.metadata) return 0;
  uint64_t low = *(const uint32_t *)(const void *)(task + TERM_TASK_ID_LOW);
  uint64_t high = *(const uint32_t *)(const void *)(task + TERM_TASK_ID_HIGH);
  return high << 32 | low;
}

#pragma GCC visibility pop
