#pragma once
// The Swift concurrency task that a thread runs: found through the runtime's thread-local variable, its id and name
// read from the task itself.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "task_facts.h"
#include "tasks/task_layout.h"

#pragma GCC visibility push(hidden)

typedef struct ck_swift_task {
  uint64_t context;  // the number of its context; 0 for none
  ck_task_identity own;
  ck_task_identity parent;  // of a child task: the one whose scope it ends in
} ck_swift_task;

/// Finds the runtime and where it keeps the current task. Not for handlers: called at install.
void ck_swift_task_prepare(void);

/// The task object that the calling thread runs; 0 for none. A thread that runs none but has a context gives the
/// context's number instead, in an odd word that no object has as its address. Nothing is bound or allocated, as the
/// runtime's own function may. Async-signal-safe.
uint64_t ck_swift_task_current(void);
/// The same of the thread that has this thread pointer, which must stand still meanwhile; 0 for a thread pointer of 0.
/// Async-signal-safe: reads that cannot fault.
uint64_t ck_swift_task_of_thread(uintptr_t thread_pointer);

/// Reads the task `object`; leaves `task` empty if that is 0, or no task of a layout known here. The task may change
/// or end meanwhile. Async-signal-safe: reads that cannot fault, a few hundred at most.
void ck_swift_task_read(uint64_t object, ck_swift_task *task);

/// Copies the task `object`. Returns false if no task is there. The words behind a child task may be missing.
/// Async-signal-safe.
bool ck_swift_task_copy(uint64_t object, ck_task_copy *copy);

/// Copies the parent of a child task, of which `task` is a copy. Returns false for any other task, and if the parent
/// cannot be read. Async-signal-safe.
bool ck_swift_task_parent(const uint8_t *task, ck_task_copy *parent);

/// The number of the context that a task is in, from the bytes of its copy; 0 for none. Async-signal-safe.
uint64_t ck_swift_task_context(const uint8_t *task);

/// The id and the name of a task, from the bytes of its copy. Async-signal-safe.
void ck_swift_task_identify(const uint8_t *task, ck_task_identity *identity);

#pragma GCC visibility pop
