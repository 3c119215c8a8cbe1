// Leaving an alternate stack that is too small for us. System calls and memory copies only: there may be room for a few
// hundred bytes.

#include "small_stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_dispatch.h"
#include "call_filters.h"
#include "foreign_threads.h"
#include "handler_places.h"
#include "own_process.h"
#include "signal_frames.h"
#include "signal_stacks.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"

// With so much room our handlers run on the stack of the program, and its handlers below.
#define ROOM_BYTES (12 * 1024)

typedef struct stack_left {
  cph_signal_function *function;
  int signal, part;
  siginfo_t *info;
  ucontext_t *context;
  uint64_t mask;
} stack_left;

// By the kernel's frame, which is the same wherever it is asked.
bool cph_stack_is_small(const ucontext_t *context) {
  const stack_t *stack = &context->uc_stack;
  uintptr_t frame = (uintptr_t)context;
  bool is_programs = !cph_signal_stack_is_one_of_ours(stack) && cph_stack_holds(stack, frame);
  return is_programs && frame - (uintptr_t)stack->ss_sp < ROOM_BYTES;
}

static bool may_be_left(int signal, const ucontext_t *context) {
  if (cph_thread_is_foreign(signal) || cph_blocking_selector() || !cph_signal_stack_is_attached()) return false;
  if (cph_calls_may_be_filtered() || !cph_is_own_process()) return false;
  return cph_signal_stack_part_at(cgr_context_stack_pointer(context)) < 0;
}

static void set_mask(const uint64_t *mask, uint64_t *before) {
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, mask, before, 8);
}

static const uint64_t all = ~0ull;

// On our own stack: only from there does the kernel take it. What is left is the program's from here on.
static void go_on(void *argument) {
  const stack_left left = *(const stack_left *)argument;
  stack_t part = cph_signal_stack_part(left.part);
  cgr_syscall2(SYS_sigaltstack, &part, NULL);
  cph_signal_stack_restore(left.context->uc_stack);
  left.context->uc_stack = part;
  set_mask(&left.mask, NULL);
  left.function(left.signal, left.info, left.context);
  set_mask(&all, NULL);
  // The return gives the kernel what the program had set there.
  if (cph_signal_stack_is_attached()) left.context->uc_stack = cph_signal_stack_programs();
  cph_signal_frame_return(left.info, left.context);
}

// The kernel's frame comes along: the program's handler may begin where it lies now, as without CrashKit.
__attribute__((noinline)) static void leave(int signal, siginfo_t *info, ucontext_t *context,
                                            cph_signal_function *function) {
  uintptr_t interrupted = cgr_context_stack_pointer(context);
  uintptr_t written = (uintptr_t)info < (uintptr_t)context ? (uintptr_t)info : (uintptr_t)context, from = written - 8;
  const stack_t *stack = &context->uc_stack;
  bool is_on_it = cph_stack_holds(stack, interrupted);
  uintptr_t end = is_on_it ? interrupted - CGR_RED_ZONE_BYTES : (uintptr_t)stack->ss_sp + stack->ss_size;
  stack_left left = {function, signal, cph_handler_place_part_for(info, context), info, context, 0};
  if (left.part < 0 || end <= from) return;
  stack_t part = cph_signal_stack_part(left.part);
  size_t size = end - from;
  if (part.ss_size < size + CPH_HANDLER_STACK_BYTES) return;
  uintptr_t copy = (uintptr_t)part.ss_sp + part.ss_size - size;
  copy -= (copy - from) % CPH_SIGNAL_FRAME_ALIGNMENT;
  set_mask(&all, &left.mask);
  cph_signal_frame_copy(copy, from, size, context);
  left.info = (siginfo_t *)((uintptr_t)info - from + copy);
  left.context = (ucontext_t *)((uintptr_t)context - from + copy);
  cgr_call_on_stack(go_on, &left, (void *)(copy & ~(uintptr_t)15));
}

__attribute__((noinline)) void cph_leave_small_stack(int signal, siginfo_t *info, ucontext_t *context,
                                                     cph_signal_function *function) {
  if (!cph_stack_is_small(context) || !may_be_left(signal, context)) return;
  leave(signal, info, context, function);
}
