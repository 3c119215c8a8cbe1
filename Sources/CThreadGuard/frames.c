// Reads words of the calling thread's own stack, between a frame of the caller's and the stack's upper end.

#include "frames.h"

#ifdef THREADGUARD

#include <stdbool.h>

#include "queues.h"

/// The upper end of the main thread's stack, kept by the loader.
extern void *__libc_stack_end;

/// libc puts a thread's own words at the upper end of its stack, which is mapped without a gap; one that is further off
/// belongs to another stack than the one that the thread runs on.
#define STACK_LIMIT_BYTES (1ul << 30)

static uintptr_t upper_end(void) {
  return ctg_is_main_thread() ? (uintptr_t)__libc_stack_end : (uintptr_t)__builtin_thread_pointer();
}

size_t ctg_frames_above(const void *frame, uintptr_t *addresses, size_t capacity) {
  uintptr_t at = (uintptr_t)frame, end = upper_end();
  size_t count = 0;
  if (at >= end || end - at > STACK_LIMIT_BYTES) return 0;
  while (count < capacity && at <= end - 2 * sizeof(uintptr_t) && at % sizeof(uintptr_t) == 0) {
    const uintptr_t *words = (const uintptr_t *)at;
    if (words[1] == 0) break;
    addresses[count++] = words[1];
    // An asynchronous Swift function marks its frame in the highest bits of the saved pointer.
    uintptr_t next = words[0] & ~(0xful << 60);
    if (next <= at) break;
    at = next;
  }
  return count;
}

#endif
