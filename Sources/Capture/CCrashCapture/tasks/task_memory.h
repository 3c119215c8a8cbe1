#pragma once
// The memory of a suspended Swift task's local values.

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A hash of the memory that the task `object` allocates from. It changes if the task goes on and comes back with other
/// values. 0 if the task has no such memory, or none that can be read. Async-signal-safe: reads that cannot fault.
uint64_t ck_task_memory_hash(uint64_t object);

#pragma GCC visibility pop
