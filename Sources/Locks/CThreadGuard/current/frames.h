#pragma once
// A stack by its frame pointers: cheap, and cut short by code that keeps none.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The return addresses from frame `frame` on (as __builtin_frame_address(0) gives it), innermost first; returns how
/// many. Reads the calling thread's stack only. Async-signal-safe.
size_t ctg_frames_above(const void *frame, uintptr_t *addresses, size_t capacity);

/// The same from the function that `frame` belongs to on, whose caller may be one of libswiftDispatch's, which keep no
/// frame pointer. Not for signal handlers: how large such a caller's frame is, is looked up once.
size_t ctg_frames_of_caller(const void *frame, uintptr_t *addresses, size_t capacity);

#pragma GCC visibility pop
