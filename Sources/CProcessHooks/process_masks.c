// Signal masks, as the kernel and as the program have them. Async-signal-safe, as sigprocmask is.
//
// Out of reach: what restores a mask by a system call of its own inside libc (siglongjmp, setcontext, swapcontext). It
// puts back the kernel's mask, in which the signals of faults are open; what is shown follows by the other signals that
// were blocked with them: where those are open again, so are these.

#include "process_masks.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "process_signals.h"
#include "process_threads.h"
#include "syscalls.h"

typedef int mask_function(int, const sigset_t *, sigset_t *);

static mask_function *real_sigprocmask, *real_pthread_sigmask;
static _Atomic uint64_t kept_open;

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

_Thread_local INITIAL_EXEC bool cph_signal_masks_are_fixed;

static _Thread_local INITIAL_EXEC struct {
  uint64_t shown;      // outside any scope
  uint64_t witnesses;  // blocked in the kernel by the same call: while they are, `shown` counts
  uint64_t held;       // blocked in earnest, since one was sent
  cph_mask_scope scope;
} masks;

static uint64_t *first_word(sigset_t *set) { return (uint64_t *)set; }
static uint64_t bits_of(const sigset_t *set) { return *(const uint64_t *)set; }

// No mask holds these: libc keeps two more open for itself.
#define NEVER_BLOCKED (CPH_UNBLOCKABLE | CPH_SIGNAL_BIT(32) | CPH_SIGNAL_BIT(33))

void cph_masks_prepare(void) {
  real_pthread_sigmask = (mask_function *)dlsym(RTLD_NEXT, "pthread_sigmask");
  real_sigprocmask = (mask_function *)dlsym(RTLD_NEXT, "sigprocmask");
}

static uint64_t change_kernel_mask(int how, uint64_t bits) {
  uint64_t before = 0;
  ck_syscall4(SYS_rt_sigprocmask, how, &bits, &before, 8);
  return before;
}

// --- What is shown ---------------------------------------------------------------------------------------------

static bool in_scope(uintptr_t stack_pointer, uint64_t kernel_mask) {
  if (masks.scope.mark) return masks.scope.mark & kernel_mask;
  if ((kernel_mask & masks.scope.needs) != masks.scope.needs) return false;
  return stack_pointer >= masks.scope.stack_low && stack_pointer < masks.scope.stack_high;
}

// Of the calling thread, which asks the kernel only if that decides.
static bool is_in_scope(uintptr_t stack_pointer) {
  return in_scope(stack_pointer, masks.scope.mark | masks.scope.needs ? change_kernel_mask(SIG_BLOCK, 0) : 0);
}

uint64_t cph_mask_mark(uint64_t interrupted) {
  bool programs_own = interrupted & CPH_HANDLER_MARK && !masks.scope.mark;
  return programs_own ? 0 : CPH_HANDLER_MARK;
}

uint64_t cph_masks_shown(uintptr_t stack_pointer, uint64_t kernel_mask) {
  if (in_scope(stack_pointer, kernel_mask)) return masks.scope.shown;
  return (kernel_mask & masks.witnesses) == masks.witnesses ? masks.shown : 0;
}

uint64_t cph_masks_set_at(uintptr_t stack_pointer, uint64_t mask) {
  bool scope = in_scope(stack_pointer, mask);
  uint64_t *shown = scope ? &masks.scope.shown : &masks.shown;
  uint64_t open = (cph_masks_kept_open() | (scope ? *shown : 0)) & ~masks.held;
  *shown = mask & (open | masks.held);
  masks.held &= mask;
  if (!scope) masks.witnesses = mask & ~open & ~NEVER_BLOCKED;
  return mask & ~open;
}

bool cph_masks_show_any(void) { return (masks.shown | masks.scope.shown) != 0; }

cph_mask_scope cph_mask_scope_at(uintptr_t stack_pointer, uint64_t kernel_mask) {
  return in_scope(stack_pointer, kernel_mask) ? masks.scope : (cph_mask_scope){0};
}

cph_mask_scope cph_mask_scope_begin(cph_mask_scope scope) {
  cph_mask_scope before = masks.scope;
  masks.scope = scope;
  return before;
}

void cph_mask_scope_end(cph_mask_scope before) { masks.scope = before; }

void cph_masks_note_held(uint64_t signals) { masks.held |= signals; }

uint64_t cph_masks_held(void) { return masks.held; }

uint64_t cph_masks_hidden_in(const sigset_t *mask) { return bits_of(mask) & cph_masks_kept_open() & ~masks.held; }

uint64_t cph_masks_kept_open(void) { return atomic_load_explicit(&kept_open, memory_order_relaxed); }

// --- Threads ---------------------------------------------------------------------------------------------------

uint64_t cph_mask_mark_here(void) {
  return masks.scope.mark && is_in_scope((uintptr_t)__builtin_frame_address(0)) ? masks.scope.mark : 0;
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
  masks.witnesses = before & ~open & ~NEVER_BLOCKED;
  masks.shown = before & open;
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
  masks.held &= ~signals;
  if (signals) change_kernel_mask(SIG_UNBLOCK, signals);
}

uint64_t cph_masks_to_inherit(void) { return shown_here() | cph_mask_mark_here(); }

void cph_masks_inherit(uint64_t shown, bool open_first) {
  if (shown & CPH_HANDLER_MARK & ~cph_masks_kept_open()) {
    change_kernel_mask(SIG_UNBLOCK, CPH_HANDLER_MARK);
    shown &= ~CPH_HANDLER_MARK;
  }
  if (shown == 0) return;
  masks.shown = shown;
  uint64_t before = change_kernel_mask(open_first ? SIG_UNBLOCK : SIG_BLOCK, open_first ? shown : 0);
  masks.witnesses = before & ~shown & ~NEVER_BLOCKED;
}

// --- The interposed functions --------------------------------------------------------------------------------------

// What was sent and held may have been taken since, by sigwait say.
static void forget_held_that_are_gone(void) {
  uint64_t pending = 0;
  if (masks.held && ck_syscall2(SYS_rt_sigpending, &pending, 8) == 0) masks.held &= pending;
}

__attribute__((noinline)) static int change_shown_mask(mask_function *real, int how, const sigset_t *set,
                                                       sigset_t *old) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  bool scope = is_in_scope(here);
  // A handler was left by a jump.
  if (!scope && masks.scope.mark) masks.scope = (cph_mask_scope){0};
  uint64_t mark = scope ? masks.scope.mark : 0;
  uint64_t *shown = scope ? &masks.scope.shown : &masks.shown;
  uint64_t shown_before = *shown, witnesses_before = masks.witnesses;
  sigset_t wanted, before;
  uint64_t asked = 0;
  bool sets = set && (how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK);
  if (set) {
    asked = *first_word(&wanted) = bits_of(set);  // the kernel reads no more
    forget_held_that_are_gone();
  }
  uint64_t open = (cph_masks_kept_open() | (scope ? shown_before : 0)) & ~masks.held;
  // Before the kernel's mask: a signal that comes as soon as it is open is not to be taken for a blocked one.
  if (sets && how == SIG_UNBLOCK) {
    *shown &= ~asked;
    masks.held &= ~asked;
    if (!scope) masks.witnesses &= ~asked;
  } else if (sets) {
    uint64_t hidden = asked & (open | masks.held);
    *shown = how == SIG_SETMASK ? hidden : shown_before | hidden;
    if (how == SIG_SETMASK) masks.held &= asked;
    if (!scope && (how == SIG_SETMASK || shown_before == 0)) masks.witnesses = asked & ~open & ~NEVER_BLOCKED;
    *first_word(&wanted) &= ~open;
  }
  if (sets && mark) *first_word(&wanted) = how == SIG_SETMASK ? *first_word(&wanted) | mark : *first_word(&wanted) & ~mark;
  // What the kernel had is asked for only where it decides something: the answer costs a tenth of the call.
  bool judges = !scope && shown_before != 0 && !(sets && how == SIG_SETMASK && !old);
  int result = real(how, set ? &wanted : NULL, judges ? &before : old);
  if (result != 0) {
    *shown = shown_before;
    if (!scope) masks.witnesses = witnesses_before;
    return result;
  }
  if (judges && (bits_of(&before) & witnesses_before) != witnesses_before) {
    // Left behind by a jump: what it restored had none of them.
    if (!sets || how != SIG_SETMASK) {
      *shown = sets && how == SIG_BLOCK ? asked & (open | masks.held) : 0;
      masks.witnesses = *shown ? asked & ~open & ~NEVER_BLOCKED : 0;
    }
    shown_before = 0;
  }
  if (old) *first_word(old) = (bits_of(judges ? &before : old) & ~mark) | shown_before;
  return result;
}

static inline int change_mask(mask_function *real, int how, const sigset_t *set, sigset_t *old) {
  uint64_t hides = set && how != SIG_UNBLOCK ? bits_of(set) & cph_masks_kept_open() : 0;
  if (__builtin_expect((hides | masks.shown | masks.scope.shown | masks.scope.mark) == 0, 1)) return real(how, set, old);
  return change_shown_mask(real, how, set, old);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  if (cph_signal_masks_are_fixed) return 0;
  cph_signals_prepare();
  cph_thread_seen();
  return change_mask(real_sigprocmask, how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  if (cph_signal_masks_are_fixed) return 0;
  cph_signals_prepare();
  cph_thread_seen();
  return change_mask(real_pthread_sigmask, how, set, old);
}

// --- Older ways to the same mask -----------------------------------------------------------------------------------

static sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

static int change_old_mask(int how, int mask) {
  sigset_t set, old;
  sigemptyset(&set);
  *first_word(&set) = (unsigned)mask;
  return sigprocmask(how, &set, &old) == 0 ? (int)bits_of(&old) : -1;
}

EXPORT int sigblock(int mask) { return change_old_mask(SIG_BLOCK, mask); }
EXPORT int sigsetmask(int mask) { return change_old_mask(SIG_SETMASK, mask); }
EXPORT int siggetmask(void) { return change_old_mask(SIG_BLOCK, 0); }

static int change_one(int how, int signal) {
  if (signal <= 0 || signal >= NSIG) {
    errno = EINVAL;
    return -1;
  }
  sigset_t set = only(signal);
  return sigprocmask(how, &set, NULL);
}

EXPORT int sighold(int signal) { return change_one(SIG_BLOCK, signal); }
EXPORT int sigrelse(int signal) { return change_one(SIG_UNBLOCK, signal); }
