#pragma once
// The kept part of a stack: its innermost and its outermost frames, and why it ended. Async-signal-safe.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Frames kept at the top (innermost) and at the bottom of a stack; those between are counted.
#define CK_FRAMES_TOP 256
#define CK_FRAMES_BOTTOM 128
#define CK_FRAMES_MAX (CK_FRAMES_TOP + CK_FRAMES_BOTTOM)

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

/// Keeps a frame for now; `seen` is how many there were before, and one more then.
void ck_keep_frame(ck_stack *stack, uint64_t *seen, uint64_t address, uint8_t flags);

/// Puts what was kept of `seen` frames in order, once there are no more, and notes how many are left out.
void ck_finish_frames(ck_stack *stack, uint64_t seen);

#pragma GCC visibility pop
