#pragma once
// The bounds of the calling thread's stack.

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct ck_thread_stack {
  uintptr_t start, end;  // both 0 if they are not known
} ck_thread_stack;

/// Finds them. Keeps errno. Not for handlers: libc allocates a moment's memory.
void ck_thread_stack_find(ck_thread_stack *stack);

#pragma GCC visibility pop
