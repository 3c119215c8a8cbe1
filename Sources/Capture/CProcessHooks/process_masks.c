// Signal masks: the kernel's and the program's. Async-signal-safe.
//
// Out of reach: what restores a mask by a system call of its own inside libc (siglongjmp, setcontext, swapcontext). It
// puts back the kernel's mask, in which the signals of faults are open; what is shown follows by the other signals that
// were blocked with them: where those are open again, so are these. So it is in a handler without a mark too, whose
// part of the stack may hold the stacks of other contexts.

#include "process_masks.h"

#include <stdatomic.h>

#include "own_process.h"
#include "CGround/memory.h"
#include "CGround/syscalls.h"

static _Atomic uint64_t kept_open;

_Thread_local CPH_INITIAL_EXEC cph_mask_state cph_masks;

static uint64_t change_kernel_mask(int how, uint64_t bits) {
  uint64_t before = 0;
  cgr_syscall4(SYS_rt_sigprocmask, how, &bits, &before, 8);
  return before;
}

// --- What is shown ---------------------------------------------------------------------------------------------

static bool is_there(const cph_mask_scope *scope) { return scope->stack_high != 0; }

static bool has_witness(const cph_mask_scope *scope) {
  uint64_t word;
  return cgr_word_peek(scope->witness, &word) && word == scope->word;
}

static bool holds(const cph_mask_scope *scope, uintptr_t stack_pointer, uint64_t kernel_mask) {
  if ((kernel_mask & scope->needs) != scope->needs) return false;
  if (stack_pointer < scope->stack_low || stack_pointer >= scope->stack_high) return false;
  return scope->witness == 0 || has_witness(scope);
}

bool cph_mask_is_marked(uint64_t kernel_mask) {
  return kernel_mask & CPH_HANDLER_MARK && is_there(&cph_masks.scopes.marked);
}

cph_mask_scope *cph_mask_scope_of(uintptr_t stack_pointer, uint64_t kernel_mask) {
  cph_mask_scopes *scopes = &cph_masks.scopes;
  if (holds(&scopes->innermost, stack_pointer, kernel_mask)) return &scopes->innermost;
  return cph_mask_is_marked(kernel_mask) ? &scopes->marked : NULL;
}

uint64_t cph_mask_that_decides(void) {
  bool decides = is_there(&cph_masks.scopes.marked) || cph_masks.scopes.innermost.needs;
  return decides ? change_kernel_mask(SIG_BLOCK, 0) : 0;
}

uint64_t cph_masks_shown(uintptr_t stack_pointer, uint64_t kernel_mask) {
  const cph_mask_scope *scope = cph_mask_scope_of(stack_pointer, kernel_mask);
  uint64_t witnesses = scope ? scope->witnesses : cph_masks.witnesses;
  if ((kernel_mask & witnesses) != witnesses) return 0;
  return scope ? scope->shown : cph_masks.shown;
}

// Before the kernel's mask changes: a signal that comes in between finds the handlers by their stack.
uint64_t cph_mask_settle_mark(cph_mask_scope *scope) {
  if (scope->shown & ~CPH_HANDLER_MARK) return CPH_HANDLER_MARK;
  uint64_t programs_own = scope->shown;
  scope->shown = 0;
  scope->needs &= ~CPH_HANDLER_MARK;
  ++cph_masks.marks_given_up;
  if (scope == &cph_masks.scopes.marked) cph_masks.scopes = (cph_mask_scopes){.innermost = *scope};
  return programs_own;
}

uint64_t cph_masks_set_at(uintptr_t stack_pointer, uint64_t kernel_mask, uint64_t mask) {
  cph_mask_scope *scope = cph_mask_scope_of(stack_pointer, kernel_mask);
  uint64_t mark = cph_mask_is_marked(kernel_mask) ? CPH_HANDLER_MARK : 0;
  uint64_t *shown = scope ? &scope->shown : &cph_masks.shown;
  uint64_t *witnesses = scope ? &scope->witnesses : &cph_masks.witnesses;
  uint64_t open = (cph_masks_kept_open() | mark | (scope ? *shown : 0)) & ~cph_masks.held;
  *shown = mask & (open | cph_masks.held);
  cph_masks.held &= mask;
  if (!mark) *witnesses = mask & ~open & ~CPH_NEVER_BLOCKED;
  return (mask & ~open) | (mark ? cph_mask_settle_mark(scope) : 0);
}

bool cph_masks_show_any(void) {
  return (cph_masks.shown | cph_masks.scopes.innermost.shown | cph_masks.scopes.marked.shown) != 0;
}

cph_mask_scopes cph_mask_scopes_at(uintptr_t stack_pointer, uint64_t kernel_mask) {
  cph_mask_scopes scopes = cph_masks.scopes;
  if (!holds(&scopes.innermost, stack_pointer, kernel_mask)) scopes.innermost = (cph_mask_scope){0};
  return scopes;
}

cph_mask_scopes cph_mask_scope_begin(cph_mask_scope scope) {
  cph_mask_scopes before = cph_masks.scopes;
  cph_masks.scopes.innermost = scope;
  return before;
}

void cph_mask_scopes_set(cph_mask_scopes scopes) { cph_masks.scopes = scopes; }

void cph_mask_scope_witness(uintptr_t witness) {
  cph_mask_scope *scope =
      is_there(&cph_masks.scopes.innermost) ? &cph_masks.scopes.innermost : &cph_masks.scopes.marked;
  if (witness == 0) return;
  scope->stack_high = scope->witness = witness;
  scope->word = *(const volatile uint64_t *)witness;
}

uint32_t cph_mask_marks_given_up(void) { return cph_masks.marks_given_up; }

void cph_masks_note_held(uint64_t signals) { cph_masks.held |= signals; }

uint64_t cph_masks_held(void) { return cph_masks.held; }

uint64_t cph_masks_hidden_in(const sigset_t *mask) {
  return cph_mask_bits(mask) & cph_masks_kept_open() & ~cph_masks.held;
}

uint64_t cph_masks_kept_open(void) { return atomic_load_explicit(&kept_open, memory_order_relaxed); }

// --- Threads ---------------------------------------------------------------------------------------------------

uint64_t cph_mask_mark_here(void) {
  bool may_be = is_there(&cph_masks.scopes.marked);
  return may_be && cph_mask_is_marked(change_kernel_mask(SIG_BLOCK, 0)) ? CPH_HANDLER_MARK : 0;
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

cph_mask_in_earnest cph_masks_block_in_earnest(void) {
  uint64_t shown = shown_here(), mark = cph_mask_mark_here() & ~shown;
  cph_mask_in_earnest before = {.marked = mark != 0, .scopes = cph_masks.scopes};
  // A child of vfork shares the thread's words, but not its mask.
  if (mark && cph_is_own_process()) ++cph_masks.marks_given_up;
  if (mark) change_kernel_mask(SIG_UNBLOCK, mark);
  if (shown) before.blocked = shown & ~change_kernel_mask(SIG_BLOCK, shown);
  return before;
}

void cph_masks_open_again(cph_mask_in_earnest before) {
  if (before.marked) {
    cph_masks.scopes = before.scopes;
    change_kernel_mask(SIG_BLOCK, CPH_HANDLER_MARK);
  }
  if (before.blocked) change_kernel_mask(SIG_UNBLOCK, before.blocked);
}

void cph_masks_let_go(uint64_t signals) {
  signals &= ~shown_here();
  cph_masks.held &= ~signals;
  if (signals) change_kernel_mask(SIG_UNBLOCK, signals);
}

uint64_t cph_masks_to_inherit(void) {
  // The mark's signal stays blocked on the new thread if the program itself blocks it.
  uint64_t shown = shown_here(), mark = cph_mask_mark_here();
  return mark ? shown ^ mark : shown;
}

void cph_masks_inherit(uint64_t shown) {
  if (shown & CPH_HANDLER_MARK & ~cph_masks_kept_open()) {
    change_kernel_mask(SIG_UNBLOCK, CPH_HANDLER_MARK);
    shown &= ~CPH_HANDLER_MARK;
  }
  if (shown == 0) return;
  cph_masks.shown = shown;
  uint64_t before = change_kernel_mask(SIG_UNBLOCK, shown);
  cph_masks.witnesses = before & ~shown & ~CPH_NEVER_BLOCKED;
}
