#pragma once
// Finds the Swift task of the calling thread cheaply, by reading the runtime's thread-local variable directly.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The loader's number of the runtime's thread-local storage, 0 if there is none; and the variable's offset in it.
extern size_t ctg_task_module, ctg_task_offset;

/// Finds them. Called once, at the start.
void ctg_tasks_prepare(void);

// The word of the thread's control block that points to its vector of storage blocks, which glibc keeps as it is for
// debuggers (libthread_db): pairs of words, the first of a pair the block, and before them the number of the last.
#if defined(__x86_64__)
#define CTG_STORAGE_VECTOR 1
#elif defined(__aarch64__)
#define CTG_STORAGE_VECTOR 0
#endif

/// What stands in for the variable if there is none.
extern const uint64_t ctg_no_task;

/// Where the calling thread's current task stands.
static inline const uint64_t *ctg_task_place(void) {
  size_t module = ctg_task_module;
  if (__builtin_expect(module == 0, 1)) return &ctg_no_task;
  const uintptr_t *vector = (const uintptr_t *)((const uintptr_t *)__builtin_thread_pointer())[CTG_STORAGE_VECTOR];
  if (vector[-2] < module) return &ctg_no_task;
  uintptr_t block = vector[module * 2];
  // A block is made at the thread's first use of it.
  return block == UINTPTR_MAX || block == 0 ? &ctg_no_task : (const uint64_t *)(block + ctg_task_offset);
}

/// Whether every thread has that block from its beginning to its end: then there is nothing to free.
static inline bool ctg_task_block_is_fixed(void) {
  const uintptr_t *vector = (const uintptr_t *)((const uintptr_t *)__builtin_thread_pointer())[CTG_STORAGE_VECTOR];
  return vector[-2] >= ctg_task_module && vector[ctg_task_module * 2 + 1] == 0;
}

/// The task's object; 0 for none.
static inline uint64_t ctg_task_now(void) { return *ctg_task_place(); }

#pragma GCC visibility pop
