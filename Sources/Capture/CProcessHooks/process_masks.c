// Signal masks, as the kernel and as the program have them. Async-signal-safe.
//
// Out of reach: what restores a mask by a system call of its own inside libc (siglongjmp, setcontext, swapcontext). It
// puts back the kernel's mask, in which the signals of faults are open; what is shown follows by the other signals that
// were blocked with them: where those are open again, so are these.

#include "process_masks.h"

#include <stdatomic.h>

#include "CGround/syscalls.h"

static _Atomic uint64_t kept_open;

_Thread_local CPH_INITIAL_EXEC cph_mask_state cph_masks;

static uint64_t change_kernel_mask(int how, uint64_t bits) {
  uint64_t before = 0;
  cgr_syscall4(SYS_rt_sigprocmask, how, &bits, &before, 8);
  return before;
}

// --- What is shown ---------------------------------------------------------------------------------------------

static bool in_scope(uintptr_t stack_pointer, uint64_t kernel_mask) {
  if (cph_masks.scope.mark) return cph_masks.scope.mark & kernel_mask;
  if ((kernel_mask & cph_masks.scope.needs) != cph_masks.scope.needs) return false;
  return stack_pointer >= cph_masks.scope.stack_low && stack_pointer < cph_masks.scope.stack_high;
}

bool cph_mask_scope_holds(uintptr_t stack_pointer) {
  return in_scope(stack_pointer, cph_masks.scope.mark | cph_masks.scope.needs ? change_kernel_mask(SIG_BLOCK, 0) : 0);
}

uint64_t cph_mask_mark(uint64_t interrupted) {
  bool programs_own = interrupted & CPH_HANDLER_MARK && !cph_masks.scope.mark;
  return programs_own ? 0 : CPH_HANDLER_MARK;
}

uint64_t cph_masks_shown(uintptr_t stack_pointer, uint64_t kernel_mask) {
  if (in_scope(stack_pointer, kernel_mask)) return cph_masks.scope.shown;
  return (kernel_mask & cph_masks.witnesses) == cph_masks.witnesses ? cph_masks.shown : 0;
}

uint64_t cph_masks_set_at(uintptr_t stack_pointer, uint64_t mask) {
  bool scope = in_scope(stack_pointer, mask);
  uint64_t *shown = scope ? &cph_masks.scope.shown : &cph_masks.shown;
  uint64_t open = (cph_masks_kept_open() | (scope ? *shown : 0)) & ~cph_masks.held;
  *shown = mask & (open | cph_masks.held);
  cph_masks.held &= mask;
  if (!scope) cph_masks.witnesses = mask & ~open & ~CPH_NEVER_BLOCKED;
  return mask & ~open;
}

bool cph_masks_show_any(void) { return (cph_masks.shown | cph_masks.scope.shown) != 0; }

cph_mask_scope cph_mask_scope_at(uintptr_t stack_pointer, uint64_t kernel_mask) {
  return in_scope(stack_pointer, kernel_mask) ? cph_masks.scope : (cph_mask_scope){0};
}

cph_mask_scope cph_mask_scope_begin(cph_mask_scope scope) {
  cph_mask_scope before = cph_masks.scope;
  cph_masks.scope = scope;
  return before;
}

void cph_mask_scope_end(cph_mask_scope before) { cph_masks.scope = before; }

void cph_masks_note_held(uint64_t signals) { cph_masks.held |= signals; }

uint64_t cph_masks_held(void) { return cph_masks.held; }

uint64_t cph_masks_hidden_in(const sigset_t *mask) {
  return cph_mask_bits(mask) & cph_masks_kept_open() & ~cph_masks.held;
}

uint64_t cph_masks_kept_open(void) { return atomic_load_explicit(&kept_open, memory_order_relaxed); }

// --- Threads ---------------------------------------------------------------------------------------------------

uint64_t cph_mask_mark_here(void) {
  return cph_masks.scope.mark && cph_mask_scope_holds((uintptr_t)__builtin_frame_address(0)) ? cph_masks.scope.mark : 0;
}

static uint64_t shown_here(void) {
  if (!cph_masks_show_any()) return 0;
  return cph_masks_shown((uintptr_t)__builtin_frame_address(0), change_kernel_mask(SIG_BLOCK, 0));
}

void cph_masks_keep_open(uint64_t signals) { atomic_store(&kept_open, signals); }

void cph_masks_open_thread(void) {
  uint64_t open = cph_masks_kept_open(), before = change_kernel_mask(SIG_BLOCK, 0);
  if ((before & open) == 0) return;
  // Shown first: one that is pending comes as soon as it is open.
  cph_masks.witnesses = before & ~open & ~CPH_NEVER_BLOCKED;
  cph_masks.shown = before & open;
  change_kernel_mask(SIG_UNBLOCK, open);
}

uint64_t cph_masks_block_in_earnest(void) {
  uint64_t shown = shown_here(), mark = cph_mask_mark_here();
  if (mark) change_kernel_mask(SIG_UNBLOCK, mark);
  return shown ? shown & ~change_kernel_mask(SIG_BLOCK, shown) : 0;
}

void cph_masks_open_again(uint64_t signals) {
  if (signals) change_kernel_mask(SIG_UNBLOCK, signals);
}

void cph_masks_let_go(uint64_t signals) {
  signals &= ~shown_here();
  cph_masks.held &= ~signals;
  if (signals) change_kernel_mask(SIG_UNBLOCK, signals);
}

uint64_t cph_masks_to_inherit(void) { return shown_here() | cph_mask_mark_here(); }

void cph_masks_inherit(uint64_t shown, bool open_first) {
  if (shown & CPH_HANDLER_MARK & ~cph_masks_kept_open()) {
    change_kernel_mask(SIG_UNBLOCK, CPH_HANDLER_MARK);
    shown &= ~CPH_HANDLER_MARK;
  }
  if (shown == 0) return;
  cph_masks.shown = shown;
  uint64_t before = change_kernel_mask(open_first ? SIG_UNBLOCK : SIG_BLOCK, open_first ? shown : 0);
  cph_masks.witnesses = before & ~shown & ~CPH_NEVER_BLOCKED;
}
