#pragma once
// Reads the facts about a task from the copy of its memory.

#include "task_facts.h"

#pragma GCC visibility push(hidden)

/// Async-signal-safe: reads that cannot fault, a few hundred at most.
void ck_task_facts_read(const uint8_t *task, ck_task_facts *facts);

#pragma GCC visibility pop
