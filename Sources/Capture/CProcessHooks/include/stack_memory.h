#pragma once
// The memory of the threads' signal stacks. That of ended threads is kept for the next ones, so that a thread's start
// costs one system call.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// So many threads have a mapping with guards of their own. Those beyond share mappings, 64 threads each, with guards
/// around all of them: the kernel counts mappings, and without that a process could start half as many threads.
#define CPH_GUARDED_THREADS 1024

/// Fixes what each thread gets. Called at install, also again with the same size. False if there is no memory.
bool cph_stack_memory_prepare(size_t size);

/// What each thread gets.
size_t cph_stack_memory_size(void);

/// Memory for a thread, aligned to a page: all 0, or as the thread before left it. NULL if there is none.
/// Async-signal-safe.
uint8_t *cph_stack_memory_take(void);
void cph_stack_memory_give_back(uint8_t *memory);

/// An address that nothing can be written to. Async-signal-safe.
uintptr_t cph_stack_memory_guard(void);

/// Another thread may have been at work during the fork. Called in the child.
void cph_stack_memory_after_fork(void);

#pragma GCC visibility pop
