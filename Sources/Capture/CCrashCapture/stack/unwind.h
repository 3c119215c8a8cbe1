#pragma once
// Unwinding of one stopped or crashed thread by call frame information, with frame pointers as the marked fallback.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"
#include "processor/registers.h"
#include "stack/stack_window.h"

#pragma GCC visibility push(hidden)

/// Frames kept at the top (innermost) and at the bottom of a stack; those between are counted.
#define CK_FRAMES_TOP 256
#define CK_FRAMES_BOTTOM 128
#define CK_FRAMES_MAX (CK_FRAMES_TOP + CK_FRAMES_BOTTOM)
/// Stacks deeper than this are given up on.
#define CK_FRAMES_WALKED 20000000
/// And those that take longer: what has been walked by then is kept.
#define CK_UNWIND_LIMIT_NS 600000000ull

enum {
  CK_FRAME_PROGRAM_COUNTER = 1,     // interrupted here, rather than about to return here
  CK_FRAME_BY_FRAME_POINTER = 2,    // found without unwind information
  CK_FRAME_ASYNC_RESUME_POINT = 4,  // where a Swift task goes on once the async function inside of it returns
};

typedef enum ck_stack_end {
  CK_END_NONE,
  CK_END_ENTRY,           // the thread's first function
  CK_END_NO_INFORMATION,  // no unwind information at end_address, and no frame pointer to follow
  CK_END_UNREADABLE,      // the stack cannot be read at end_address
  CK_END_ZERO_RETURN,     // a return address of 0 in a function that is no entry
  CK_END_NO_PROGRESS,     // the stack pointer did not move outwards at end_address
  CK_END_TOO_DEEP,
  CK_END_FAULT,        // unwinding itself faulted
  CK_END_TIME,         // the capture's time was up
  CK_END_NOT_STOPPED,  // the thread did not stop
} ck_stack_end;

typedef struct ck_stack {
  uint64_t *addresses;  // room for CK_FRAMES_MAX
  uint8_t *flags;
  uint32_t count;
  uint32_t omitted_after;  // frames before the gap
  uint64_t omitted;
  bool by_cfi, by_frame_pointer;
  ck_stack_end end;
  uint64_t end_address;
} ck_stack;

/// Opens libunwind's generic library and warms it. Not for handlers: called at install. False where it is missing.
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
