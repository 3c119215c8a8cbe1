#pragma once
// A search for Swift tasks, in a process and in its core file: its start, its limits, and the reasons why a search is
// not possible.

/// The words that the runtime keeps for debuggers (swift, stdlib/public/Concurrency/Debug.h).
#define TERM_TASK_WORD_VERSION "_swift_concurrency_debug_internal_layout_version"
#define TERM_TASK_WORD_SIZE "_swift_concurrency_debug_asyncTaskSize"
#define TERM_TASK_WORD_METADATA "_swift_concurrency_debug_asyncTaskMetadata"
#define TERM_TASK_WORD_SLAB_METADATA "_swift_concurrency_debug_asyncTaskSlabMetadata"

/// More tasks are counted only.
#define TERM_TASKS_MAX (128 * 1024)
/// So many of them are listed, the oldest first; those that stand for others with the same chain come on top of it.
#define TERM_TASKS_LISTED_MAX 2048
/// The number of chains that a search can separate; a power of two.
#define TERM_TASK_CHAINS_MAX 4096
/// So many addresses of a chain are kept, from the innermost on; longer chains are rare, and the rest is counted.
#define TERM_TASK_FRAMES_MAX 128
/// A chain of more contexts is given up on.
#define TERM_TASK_CONTEXTS_MAX 10000
/// Longest name kept, in bytes; the rest gives way to "…".
#define TERM_TASK_NAME_MAX 128
/// So many records of a task are looked at for its name.
#define TERM_TASK_RECORDS_MAX 64

/// Why there was no search.
#define TERM_TASKS_NO_RUNTIME "no Swift concurrency runtime that can be seen"
#define TERM_TASKS_OTHER_LAYOUT "a Swift concurrency runtime of another layout"
#define TERM_TASKS_NO_SLABS "a Swift concurrency runtime that does not say what tasks allocate from"
