#pragma once
// Where the fields of a Swift task lie. The runtime gives debuggers a version of its layout; only those here are read.
//
// Layout 1, 64 bits (swift 6.1 to 6.3: include/swift/ABI/Task.h, TaskStatus.h, MetadataValues.h;
// stdlib/public/Concurrency/TaskPrivate.h, TaskStatus.cpp).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGround/memory.h"
#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

#define CK_TASK_LAYOUT_VERSION 1
#define CK_TASK_SIZE 0xd0
/// With what follows a child task: its parent, and the next child.
#define CK_TASK_BYTES (CK_TASK_SIZE + 16)
#define CK_TASK_ALIGNMENT 16

#define CK_TASK_REFERENCES 0x08
#define CK_TASK_FLAGS 0x20
#define CK_TASK_ID_LOW 0x24
#define CK_TASK_RESUME 0x38
#define CK_TASK_CONTEXT 0x40
#define CK_TASK_STATUS 0x60
#define CK_TASK_RECORD 0x68
#define CK_TASK_FIRST_SLAB 0x78
#define CK_TASK_ID_HIGH 0x90
#define CK_TASK_BASE_PRIORITY 0x98
#define CK_TASK_DEPENDENCY 0xa0
#define CK_TASK_PARENT 0xd0

/// A job's flags.
#define CK_JOB_KIND 0xffu  // 0 for tasks
#define CK_JOB_PRIORITY 0xff00u
#define CK_JOB_IS_CHILD (1u << 24)
#define CK_JOB_IS_ASYNC_LET (1u << 28)
#define CK_JOB_HAS_NAME (1u << 30)

/// A task's status.
#define CK_STATUS_PRIORITY 0xffu
#define CK_STATUS_CANCELLED 0x100u
#define CK_STATUS_RUNNING 0x800u
#define CK_STATUS_ENQUEUED 0x1000u
#define CK_STATUS_COMPLETE 0x2000u
#define CK_STATUS_HAS_DEPENDENCY 0x4000u
#define CK_STATUS_KNOWN 0x7fffu

/// A record is its kind, the next one outwards, and what its kind has.
#define CK_RECORD_KIND 0xffu
#define CK_RECORD_DEPENDENCY 0u
#define CK_RECORD_NAME 6u
/// A dependency's third and fifth word: what the task waits for, and what that is.
#define CK_WAITS_FOR_TASK 1u
#define CK_WAITS_FOR_CONTINUATION 2u
#define CK_WAITS_FOR_GROUP 3u
#define CK_WAITS_FOR_EXECUTOR 4u

/// A reference count says that its object is being freed, unless it is a side table's place.
#define CK_REFERENCES_IS_DEINITING (1ull << 32)
#define CK_REFERENCES_IS_ELSEWHERE (1ull << 63)

/// A task's copy. It lies 8 bytes off any alignment by 16, so that a search of memory does not take it for a task.
typedef struct ck_task_copy {
  _Alignas(CK_TASK_ALIGNMENT) uint64_t misaligned;
  uint8_t bytes[CK_TASK_BYTES];
} ck_task_copy;

typedef struct ck_task_layout {
  bool is_known;
  const char *why_not;     // a constant, unless it is known
  uint64_t task_metadata;  // the first word of each task
  uint64_t slab_metadata;  // the first word of each piece of memory that tasks allocate from; 0: not said
} ck_task_layout;

/// What ck_task_layout_prepare found.
extern ck_task_layout ck_task_layout_found;

/// Asks the runtime. Not for handlers: called at install.
void ck_task_layout_prepare(void);

/// If the runtime exports nothing, looks into the program's file, once: it may hold the runtime inside. Ends at
/// `deadline` (monotonic, in nanoseconds); `room` is for pieces of the file. Async-signal-safe.
void ck_task_layout_search(const crp_images *images, uint8_t *room, size_t size, uint64_t deadline);

static inline uint64_t ck_task_word(const uint8_t *task, size_t offset) {
  uint64_t word;
  cgr_copy(&word, task + offset, sizeof word);
  return word;
}

static inline uint32_t ck_task_half(const uint8_t *task, size_t offset) {
  uint32_t half;
  cgr_copy(&half, task + offset, sizeof half);
  return half;
}

/// From 1, in the order in which tasks are made.
static inline uint64_t ck_task_id(const uint8_t *task) {
  return (uint64_t)ck_task_half(task, CK_TASK_ID_HIGH) << 32 | ck_task_half(task, CK_TASK_ID_LOW);
}

#pragma GCC visibility pop
