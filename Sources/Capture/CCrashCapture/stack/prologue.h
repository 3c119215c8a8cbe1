#pragma once
// The frame pointer of a thread that was looked at from outside, of which the kernel tells two registers only.

#include <stdint.h>

#include "CReportParts/images.h"
#include "stack/stack_window.h"

#pragma GCC visibility push(hidden)

/// In place of a frame pointer that nobody knows: no such pointer is odd.
#define CK_FRAME_POINTER_UNKNOWN 1

/// Where the function that holds `pc` keeps a frame pointer, and has set it up by then, its value: from the function's
/// first instructions, or, where those leave the frame's size open, the nearest place above `stack_pointer` that looks
/// like a saved frame pointer with a return address. In either case the return address lies behind a call. 0 where
/// there is none. Async-signal-safe, under a guard.
uint64_t ck_recover_frame_pointer(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                  uint64_t stack_pointer);

#pragma GCC visibility pop
