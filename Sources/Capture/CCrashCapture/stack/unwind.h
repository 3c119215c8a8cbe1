#pragma once
// Unwinding of one stopped or crashed thread by call frame information, with frame pointers as the marked fallback.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"
#include "processor/registers.h"
#include "stack/kept_frames.h"
#include "stack/stack_window.h"

#pragma GCC visibility push(hidden)

/// Stacks deeper than this are given up on.
#define CK_FRAMES_WALKED 20000000
/// And those that take longer: what has been walked by then is kept.
#define CK_UNWIND_LIMIT_NS 600000000ull

/// Opens libunwind's generic library and warms it. Not for handlers: called at install. False if it is missing.
bool ck_unwind_prepare(const crp_images *images);
bool ck_unwind_uses_libunwind(void);

/// Learns where handlers return to; called once a handler for SIGSEGV is in place. Async-signal-safe.
void ck_unwind_learn_signal_return(void);

/// Unwinds from `registers`. The first frame is the program counter; `at_bad_target` says that the thread faulted by
/// jumping there, so that its caller is what the call has just pushed. Called by the capturing thread only, under a
/// guard. Async-signal-safe.
void ck_unwind(const crp_images *images, const ck_registers *registers, bool at_bad_target, ck_stack *stack);

/// As ck_unwind, from a copy of the stack. Async-signal-safe.
void ck_unwind_copy(const crp_images *images, const ck_registers *registers, const ck_stack_copy *copy,
                    ck_stack *stack);

/// After a fault inside libunwind its cache may be locked: do without it from here on. Async-signal-safe.
void ck_unwind_after_fault(void);

#pragma GCC visibility pop
