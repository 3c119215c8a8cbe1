#pragma once
// Where the fields of a Swift task lie. The runtime gives debuggers a version of its layout; only those here are read,
// in a process and in its core file.
//
// Layout 1, 64 bits (swift 6.1 to 6.3: include/swift/ABI/Task.h, TaskStatus.h, MetadataValues.h;
// stdlib/public/Concurrency/TaskPrivate.h, TaskStatus.cpp).

#define TERM_TASK_LAYOUT_VERSION 1
#define TERM_TASK_SIZE 0xd0
/// With what follows a child task: its parent, and the next child.
#define TERM_TASK_BYTES (TERM_TASK_SIZE + 16)
#define TERM_TASK_ALIGNMENT 16
/// More tasks than a process can have made.
#define TERM_TASK_ID_END (1ull << 48)

#define TERM_TASK_REFERENCES 0x08
#define TERM_TASK_FLAGS 0x20
#define TERM_TASK_ID_LOW 0x24
#define TERM_TASK_RESUME 0x38
#define TERM_TASK_CONTEXT 0x40
#define TERM_TASK_STATUS 0x60
#define TERM_TASK_RECORD 0x68
#define TERM_TASK_FIRST_SLAB 0x78
#define TERM_TASK_LOCALS 0x88
#define TERM_TASK_ID_HIGH 0x90
#define TERM_TASK_BASE_PRIORITY 0x98
#define TERM_TASK_DEPENDENCY 0xa0
#define TERM_TASK_PARENT 0xd0

/// A job's flags.
#define TERM_JOB_KIND 0xffu  // 0 for tasks
#define TERM_JOB_PRIORITY 0xff00u
#define TERM_JOB_IS_CHILD (1u << 24)
#define TERM_JOB_IS_ASYNC_LET (1u << 28)
#define TERM_JOB_HAS_NAME (1u << 30)

/// A task's status.
#define TERM_STATUS_PRIORITY 0xffu
#define TERM_STATUS_CANCELLED 0x100u
#define TERM_STATUS_RUNNING 0x800u
#define TERM_STATUS_ENQUEUED 0x1000u
#define TERM_STATUS_COMPLETE 0x2000u
#define TERM_STATUS_HAS_DEPENDENCY 0x4000u
#define TERM_STATUS_KNOWN 0xffffu  // 0x8000: the task prefers an executor

/// A record is its kind, the next one outwards, and what its kind has.
#define TERM_RECORD_KIND 0xffu
#define TERM_RECORD_DEPENDENCY 0u
#define TERM_RECORD_NAME 6u
/// A dependency's third and fifth word: what the task waits for, and what that is.
#define TERM_WAITS_FOR_TASK 1u
#define TERM_WAITS_FOR_CONTINUATION 2u
#define TERM_WAITS_FOR_GROUP 3u
#define TERM_WAITS_FOR_EXECUTOR 4u

/// A reference count says that its object is being freed, unless it is a side table's place.
#define TERM_REFERENCES_IS_DEINITING (1ull << 32)
#define TERM_REFERENCES_IS_ELSEWHERE (1ull << 63)
