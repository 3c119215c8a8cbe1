// Which frames of a stack are kept. No system calls.

#include "stack/kept_frames.h"

// The bottom part is a ring while the stack is walked: the last CK_FRAMES_BOTTOM frames, wherever they begin.
void ck_keep_frame(ck_stack *stack, uint64_t *seen, uint64_t address, uint8_t flags) {
  uint64_t at = *seen;
  if (at >= CK_FRAMES_TOP) at = CK_FRAMES_TOP + (at - CK_FRAMES_TOP) % CK_FRAMES_BOTTOM;
  stack->addresses[at] = address;
  stack->flags[at] = flags;
  ++*seen;
}

static void reverse(ck_stack *stack, uint32_t from, uint32_t to) {
  for (; from + 1 < to; ++from) {
    --to;
    uint64_t address = stack->addresses[from];
    uint8_t flags = stack->flags[from];
    stack->addresses[from] = stack->addresses[to];
    stack->flags[from] = stack->flags[to];
    stack->addresses[to] = address;
    stack->flags[to] = flags;
  }
}

void ck_finish_frames(ck_stack *stack, uint64_t seen) {
  if (seen <= CK_FRAMES_MAX) {
    stack->count = (uint32_t)seen;
    return;
  }
  stack->count = CK_FRAMES_MAX;
  stack->omitted = seen - CK_FRAMES_MAX;
  stack->omitted_after = CK_FRAMES_TOP;
  // Rotate the ring so that it starts with its oldest frame.
  uint32_t oldest = CK_FRAMES_TOP + (uint32_t)((seen - CK_FRAMES_TOP) % CK_FRAMES_BOTTOM);
  reverse(stack, CK_FRAMES_TOP, oldest);
  reverse(stack, oldest, CK_FRAMES_MAX);
  reverse(stack, CK_FRAMES_TOP, CK_FRAMES_MAX);
}
