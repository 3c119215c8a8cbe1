#pragma once
// Values that frames do not contain: the frame pointer of a thread that is read from outside, for which the kernel
// gives only two registers, and return addresses of functions without a frame.

#include <stdint.h>

#include "CReportParts/images.h"
#include "stack/stack_window.h"

#pragma GCC visibility push(hidden)

/// Stands for an unknown frame pointer: a real one is never odd.
#define CK_FRAME_POINTER_UNKNOWN 1

/// Where the function that holds `pc` keeps a frame pointer, and has set it up by then, its value: from the function's
/// first instructions, or, where those leave the frame's size open, the nearest place above `stack_pointer` that looks
/// like a saved frame pointer with a return address. In either case the return address lies behind a call. 0 where
/// there is none. Async-signal-safe, under a guard.
uint64_t ck_recover_frame_pointer(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                  uint64_t stack_pointer);

/// aarch64: the return address of a function without a frame, which the kernel does not tell either. The nearest frame
/// record above `stack_pointer` is the caller's. It leads to the call of that caller, and so to the caller itself, in
/// which one call alone must lead to the function that holds `pc`. 0 where any of this is not so. Async-signal-safe,
/// under a guard.
uint64_t ck_recover_return_address(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                   uint64_t stack_pointer);

/// x86-64: where the return address lies of a function that has neither unwind information nor a frame pointer. That is
/// the nearest word above `stack_pointer` and below `end` that lies behind a call of a function that begins at `pc` or
/// shortly before it. Returns 0 if it finds no such word, and on other processors. Async-signal-safe, under a guard.
uint64_t ck_find_return_slot(const crp_images *images, ck_stack_window *window, uint64_t pc, uint64_t stack_pointer,
                             uint64_t end);

#pragma GCC visibility pop
