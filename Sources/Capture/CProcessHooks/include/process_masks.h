#pragma once
// Signal masks. If a thread faults while it blocks the fault's signal, the kernel kills the process without calling a
// handler, so there would be no report. Therefore the signals of faults stay unblocked in the kernel's mask, and the
// program reads back the mask that it set.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "CGround/signals.h"

#pragma GCC visibility push(hidden)

/// The kernel takes these out of each mask.
#define CPH_UNBLOCKABLE (CGR_SIGNAL_BIT(SIGKILL) | CGR_SIGNAL_BIT(SIGSTOP))

/// From here on these are left open, in threads and for as long as the handlers run that the program has set for other
/// signals. 0 ends it for what is blocked later. Not for handlers.
void cph_masks_keep_open(uint64_t signals);

/// What the program's sigprocmask does, for other functions of the program's that do the same. Async-signal-safe.
int cph_mask_change(int how, const sigset_t *set, sigset_t *old);

/// Those that are left open. Async-signal-safe.
uint64_t cph_masks_kept_open(void);

/// Opens what the calling thread blocked before they were left open; the program sees it blocked. Async-signal-safe.
void cph_masks_open_thread(void);

/// What a thread started by the calling one sees as blocked. Async-signal-safe.
uint64_t cph_masks_to_inherit(void);
/// On a new thread, sees these signals as blocked, and opens them in the kernel. Async-signal-safe.
void cph_masks_inherit(uint64_t shown);

/// What the program takes for blocked, at a place on the calling thread's stack and with the mask that the kernel has
/// or had there, though it is open. Async-signal-safe.
uint64_t cph_masks_shown(uintptr_t stack_pointer, uint64_t kernel_mask);

/// Sets the mask of a place on the calling thread's stack to which a handler of the program returns: what is to be left
/// open is shown as blocked there. `kernel_mask` is what the kernel had there. Returns what the kernel is to have.
/// Async-signal-safe.
uint64_t cph_masks_set_at(uintptr_t stack_pointer, uint64_t kernel_mask, uint64_t mask);

/// Whether anything may be shown so on the calling thread. Async-signal-safe.
bool cph_masks_show_any(void);

/// Notes that signals were found sent while shown as blocked, and are now blocked in earnest to keep them pending.
/// Async-signal-safe.
void cph_masks_note_held(uint64_t signals);

/// The signals that are really blocked for that; and those of a mask that stay open nevertheless.
/// Async-signal-safe.
uint64_t cph_masks_held(void);
uint64_t cph_masks_hidden_in(const sigset_t *mask);

/// Opens those of the held that are not shown as blocked any more. Async-signal-safe.
void cph_masks_let_go(uint64_t signals);

/// Linux never sends this one. The kernel's mask has it in the place of the signals of faults that a handler believes
/// to be blocked: a jump out of the handler takes it back with the mask, and a handler that ran off its stack still has
/// it. A handler that opens all of them gives it up: if an exception or a jump then leaves it with its mask as it is,
/// no trace of the handler stays in that mask.
#define CPH_HANDLER_MARK CGR_SIGNAL_BIT(SIGSTKFLT)

/// What is shown as blocked while a handler of the program or a call with a mask of its own lasts.
typedef struct cph_mask_scope {
  uint64_t shown;
  uintptr_t stack_low, stack_high;  // what runs in it lies between the two; no scope if `stack_high` is 0
  uint64_t needs;                   // what the kernel's mask has too
  uintptr_t witness;                // a word that goes when its stack is used again; 0 for none
  uint64_t word;                    // what lies there until then
  uint64_t witnesses;               // blocked in the kernel by the same call: while they are, `shown` counts
} cph_mask_scope;

/// The scopes of a thread. The innermost one counts on its part of the stack. If the thread is not there, the marked
/// one counts wherever the kernel's mask has the mark. It is that of the outermost handler with the mark.
typedef struct cph_mask_scopes {
  cph_mask_scope innermost, marked;
} cph_mask_scopes;

/// Whether the mark in a kernel's mask is ours. If not, the program itself blocks that signal. Async-signal-safe.
bool cph_mask_is_marked(uint64_t kernel_mask);

/// The mark that the calling thread's mask has; 0 if it has none. Async-signal-safe.
uint64_t cph_mask_mark_here(void);

/// How often a handler of the calling thread gave its mark up. The marks of handlers that began before say nothing of
/// whether they last. Async-signal-safe.
uint32_t cph_mask_marks_given_up(void);

/// The scopes at a place on the calling thread's stack, by its stack pointer and the kernel's mask there. The innermost
/// one is empty if the thread left it behind when it switched to another context. Async-signal-safe.
cph_mask_scopes cph_mask_scopes_at(uintptr_t stack_pointer, uint64_t kernel_mask);

/// Begins an innermost scope. Returns those of before, for cph_mask_scopes_set. Async-signal-safe.
cph_mask_scopes cph_mask_scope_begin(cph_mask_scope scope);
void cph_mask_scopes_set(cph_mask_scopes scopes);

/// Gives the scope that began last its witness. Async-signal-safe.
void cph_mask_scope_witness(uintptr_t witness);

/// The program's mask in earnest, in the kernel. Async-signal-safe.
typedef struct cph_mask_in_earnest {
  uint64_t blocked;  // what was open until now
  bool marked;       // the mark was taken out
  cph_mask_scopes scopes;
} cph_mask_in_earnest;

/// Blocks in earnest what the calling thread sees as blocked, and takes our mark out; and puts back what was before.
/// Async-signal-safe.
cph_mask_in_earnest cph_masks_block_in_earnest(void);
void cph_masks_open_again(cph_mask_in_earnest before);

/// Set on a thread whose signal mask must not change any more: its calls of sigprocmask then do nothing. For the thread
/// that makes a crash report, which has all signals blocked while libunwind blocks and opens them twice a frame.
/// Async-signal-safe.
extern _Thread_local __attribute__((tls_model("initial-exec"))) bool cph_signal_masks_are_fixed;

/// How far below a place on its stack a thread may be if the stack's end is not known.
#define CPH_STACK_REACH_BYTES (16u * 1024 * 1024)

// --- For the interposed functions alone
// -------------------------------------------------------------------------------

#define CPH_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/// What a thread's mask looks like to the program.
typedef struct cph_mask_state {
  uint64_t shown;      // outside any scope
  uint64_t witnesses;  // blocked in the kernel by the same call: while they are, `shown` counts
  uint64_t held;       // blocked in earnest, since one was sent
  cph_mask_scopes scopes;
  uint32_t marks_given_up;
} cph_mask_state;

/// The calling thread's. Async-signal-safe.
extern _Thread_local CPH_INITIAL_EXEC cph_mask_state cph_masks;

/// No mask holds these: libc keeps two more open for itself.
#define CPH_NEVER_BLOCKED (CPH_UNBLOCKABLE | CGR_LIBC_SIGNALS)

/// The word of a mask that the kernel reads. Async-signal-safe.
static inline uint64_t cph_mask_bits(const sigset_t *set) { return *(const uint64_t *)set; }

/// The scope of a place on the calling thread's stack; NULL outside any. Async-signal-safe.
cph_mask_scope *cph_mask_scope_of(uintptr_t stack_pointer, uint64_t kernel_mask);

/// The kernel's mask, if it decides in which scope the calling thread is; or else 0. Async-signal-safe.
uint64_t cph_mask_that_decides(void);

/// For a marked mask that is about to change, once the scope shows what is to be blocked: gives the mark up if that is
/// none of those that are left open. Returns what the kernel is to have in the mark's place. Async-signal-safe.
uint64_t cph_mask_settle_mark(cph_mask_scope *scope);

#pragma GCC visibility pop
