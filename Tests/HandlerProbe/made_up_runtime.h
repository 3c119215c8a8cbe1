#pragma once
// A Swift runtime made up: tasks and async contexts as the real one lays them out, and its words for debuggers.
#include <stddef.h>
#include <stdint.h>

typedef struct record {
  uint64_t kind;  // 6 for a name
  const void *outer;
  const char *name;
} record;

typedef struct task {
  uint64_t metadata, references, scheduler[2];
  uint32_t flags, id_low;  // bit 30: has a name; bit 24: is a child
  uint64_t voucher, reserved, resume, context, reserved64, access[2];
  uint64_t status;
  const record *records;
  uint64_t allocator[3], locals;
  uint32_t id_high, priority;
  uint64_t rest[7];
  const struct task *parent;
} __attribute__((aligned(16))) task;

_Static_assert(offsetof(task, parent) == 0xd0, "a task's size");

typedef struct context {
  const struct context *parent;
  void (*resume)(void);
} __attribute__((aligned(16))) context;

#define FLAG_CHILD (1u << 24)
#define FLAG_NAMED (1u << 30)

extern uint32_t _swift_concurrency_debug_internal_layout_version;
extern size_t _swift_concurrency_debug_asyncTaskSize;
/// NULL: the reports' search for all tasks does not begin.
extern const void *_swift_concurrency_debug_asyncTaskSlabMetadata;

/// A task that waits, and has the name that the records end in, if it has records.
task made_task(uint64_t id, const record *records);

/// From here on, the calling thread runs this task.
void run_task(const task *running);
