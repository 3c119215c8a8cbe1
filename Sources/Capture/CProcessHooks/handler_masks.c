// The mask of a handler. System calls only.

#include "handler_masks.h"

#include "wait_masks.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"

// A program that blocks the mark's signal itself has it blocked in the handler too.
static uint64_t mark_of_handler(uint64_t blocked, bool is_inside_marked, uint64_t shown) {
  bool programs_own = blocked & CPH_HANDLER_MARK && !is_inside_marked;
  return shown && !programs_own ? CPH_HANDLER_MARK : 0;
}

cph_handler_mask cph_handler_mask_begin(cph_handler_place *place, ucontext_t *context, int signal, int flags,
                                        uint64_t blocks) {
  uint64_t *contexts = (uint64_t *)&context->uc_sigmask, interrupted = *contexts, open = cph_masks_kept_open();
  uintptr_t stack_pointer = cgr_context_stack_pointer(context);
  const cph_wait_mask wait = cph_wait_mask_take(signal, context);
  uint64_t in_force = wait.mask, shown_in_force = cph_masks_shown(stack_pointer, in_force);
  // The wait ends with the handler.
  if (wait.outside) cph_mask_scopes_set(*wait.outside);
  uint64_t shown_before = cph_masks_shown(stack_pointer, interrupted);
  bool is_inside_marked = cph_mask_is_marked(interrupted);
  if (!(flags & SA_NODEFER)) blocks |= CGR_SIGNAL_BIT(signal);
  uint64_t shown = shown_in_force | (blocks & open);
  place->mark = mark_of_handler(interrupted | in_force, is_inside_marked, shown);
  place->marks_given_up = cph_mask_marks_given_up();
  shown |= blocks & place->mark;

  cph_mask_scopes outer = cph_mask_scopes_at(stack_pointer, interrupted), inner = {{0}, outer.marked};
  cph_mask_scope scope = {shown, place->low, place->high, in_force & CPH_HANDLER_MARK, 0, 0, 0};
  // Inside a handler that has the mark, the stack says which of the two the thread is in.
  *(place->mark && !is_inside_marked ? &inner.marked : &inner.innermost) = scope;
  cph_mask_scopes_set(inner);
  *contexts = (is_inside_marked ? interrupted & ~CPH_HANDLER_MARK : interrupted) | shown_before;
  return (cph_handler_mask){in_force | (blocks & ~open) | place->mark, interrupted, *contexts, outer};
}

uint64_t cph_handler_mask_enter(const cph_handler_mask *mask, const cph_handler_place *place) {
  uint64_t before = 0;
  if (place->top != 0) cph_mask_scope_witness(place->witness);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask->kernels, &before, 8);
  return before;
}

void cph_handler_mask_leave(const cph_handler_mask *mask, ucontext_t *context) {
  uint64_t *contexts = (uint64_t *)&context->uc_sigmask, changed = *contexts ^ mask->given;
  cph_mask_scopes_set(mask->outer);
  if (changed & (cph_masks_kept_open() | CPH_HANDLER_MARK))
    *contexts = cph_masks_set_at(cgr_context_stack_pointer(context), mask->interrupted, *contexts);
  else
    *contexts = mask->interrupted ^ changed;
}
