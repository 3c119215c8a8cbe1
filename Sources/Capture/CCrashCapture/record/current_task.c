// Where a thread has its current Swift task. Reads that cannot fault.
//
// swift_task_getCurrent reads a thread-local variable by way of __tls_get_addr, which may allocate after a dlopen. Here
// the thread's vector of storage blocks (DTV) is looked at instead, and a block that is not there yet means no task.
// The vector's layout is glibc's own, but kept for debuggers (libthread_db); it is tried out at install.

#include "record/current_task.h"

#include "CGround/memory.h"

ck_task_variable ck_task_variable_found;
_Thread_local const uint64_t *ck_task_of_thread __attribute__((tls_model("initial-exec")));

typedef union storage_vector_entry {
  size_t counter;  // before entry 0: how many there are
  struct {
    uintptr_t block;
    void *allocation;
  } pointer;
} storage_vector_entry;

#define BLOCK_NOT_ALLOCATED UINTPTR_MAX

// The word of the thread's control block that points to its storage vector.
#if defined(__x86_64__)
#define STORAGE_VECTOR_WORD 1
#elif defined(__aarch64__)
#define STORAGE_VECTOR_WORD 0
#endif

// The control block stands above the thread's stack, where an overrun writes over it: what it points to is read by
// calls that cannot fault, since a stopped thread has no guard.
uintptr_t ck_thread_storage(uintptr_t thread_pointer, size_t module) {
  uint64_t vector, count, block, word = thread_pointer + STORAGE_VECTOR_WORD * sizeof vector;
  if (!cgr_word_peek(word, &vector) || vector == 0) return 0;
  uint64_t before = vector - sizeof(storage_vector_entry), at = vector + module * sizeof(storage_vector_entry);
  if (!cgr_word_peek(before + offsetof(storage_vector_entry, counter), &count) || module > count) return 0;
  if (!cgr_word_peek(at + offsetof(storage_vector_entry, pointer.block), &block)) return 0;
  return block == BLOCK_NOT_ALLOCATED ? 0 : block;
}

const uint64_t *ck_task_of_thread_find(void) {
  size_t module = atomic_load_explicit(&ck_task_variable_found.module, memory_order_acquire);
  uintptr_t block = module ? ck_thread_storage((uintptr_t)__builtin_thread_pointer(), module) : 0;
  if (block == 0) return NULL;
  ck_task_of_thread = (const uint64_t *)(block + ck_task_variable_found.offset);
  return ck_task_of_thread;
}
