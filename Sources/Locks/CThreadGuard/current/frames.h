#pragma once
// A stack by its frame pointers: this is cheap, but the stack ends at code without frame pointers.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where the caller's frame pointer and the return address of this function lie. Both must last while a function that
/// is given them runs, also if that is the last call. On x86-64 the frame of such a callee has the same words in the
/// same place. On aarch64 it does not: a variable whose address is given away makes the compiler keep the frame.
#ifdef __aarch64__
#define OWN_FRAME                                  \
  ({                                               \
    char kept;                                     \
    __asm__ volatile("" : : "r"(&kept));           \
    (const uintptr_t *)__builtin_frame_address(0); \
  })
#else
#define OWN_FRAME ((const uintptr_t *)__builtin_frame_address(0))
#endif

/// The return addresses from frame `frame` on (an OWN_FRAME), innermost first; returns how
/// many. Reads the calling thread's stack only. Async-signal-safe.
size_t ctg_frames_above(const void *frame, uintptr_t *addresses, size_t capacity);

/// The same from the function that `frame` belongs to on, whose caller may be one of libswiftDispatch's. Those keep no
/// frame pointer on x86-64. Not for signal handlers: the size of such a caller's frame is looked up once.
size_t ctg_frames_of_caller(const void *frame, uintptr_t *addresses, size_t capacity);

#pragma GCC visibility pop
