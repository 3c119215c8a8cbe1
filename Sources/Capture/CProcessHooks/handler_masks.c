// The mask of a handler. System calls only.

#include "handler_masks.h"

#include "CGround/stack_switch.h"

cph_handler_mask cph_handler_mask_begin(cph_handler_place *place, const ucontext_t *context, int signal, int flags,
                                        uint64_t blocks) {
  uint64_t interrupted = *(const uint64_t *)&context->uc_sigmask, open = cph_masks_kept_open();
  uintptr_t stack_pointer = cgr_context_stack_pointer(context);
  if (!(flags & SA_NODEFER)) blocks |= CGR_SIGNAL_BIT(signal);
  cph_handler_mask mask = {.shown_before = cph_masks_shown(stack_pointer, interrupted)};
  uint64_t shown = mask.shown_before | (blocks & open);
  place->mark = shown ? cph_mask_mark(interrupted) : 0;
  shown |= blocks & place->mark;
  mask.kernels = interrupted | (blocks & ~open) | place->mark;
  // A program that blocks the mark's signal itself has it blocked in the handler too.
  cph_mask_scope scope = {shown, place->low, place->high, place->mark, interrupted & CPH_HANDLER_MARK};
  mask.outer = cph_mask_scope_at(stack_pointer, interrupted);
  cph_mask_scope_begin(scope);
  return mask;
}
