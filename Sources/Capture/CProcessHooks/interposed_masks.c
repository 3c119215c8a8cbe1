// The interposed functions of signal masks. Async-signal-safe, as libc's are.

#include <errno.h>
#include <signal.h>

#include "process_masks.h"
#include "process_threads.h"
#include "real_functions.h"
#include "CGround/syscalls.h"

_Thread_local CPH_INITIAL_EXEC bool cph_signal_masks_are_fixed;

static uint64_t *first_word(sigset_t *set) { return (uint64_t *)set; }

// What was sent and held may have been taken since, by sigwait say.
static void forget_held_that_are_gone(void) {
  uint64_t pending = 0;
  if (cph_masks.held && cgr_syscall2(SYS_rt_sigpending, &pending, 8) == 0) cph_masks.held &= pending;
}

__attribute__((noinline)) static int change_shown_mask(cph_mask_function *real, int how, const sigset_t *set,
                                                       sigset_t *old) {
  uint64_t kernels = cph_mask_that_decides(), mark = cph_mask_is_marked(kernels) ? CPH_HANDLER_MARK : 0;
  cph_mask_scope *scope = cph_mask_scope_of((uintptr_t)__builtin_frame_address(0), kernels);
  // A handler was left by a jump.
  if (!scope) cph_masks.scopes.marked = (cph_mask_scope){0};
  uint64_t *shown = scope ? &scope->shown : &cph_masks.shown;
  uint64_t *witnesses = scope ? &scope->witnesses : &cph_masks.witnesses;
  const cph_mask_state state_before = cph_masks;
  uint64_t shown_before = *shown, witnesses_before = *witnesses;
  sigset_t wanted, before;
  uint64_t asked = 0;
  bool sets = set && (how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK);
  if (set) {
    asked = *first_word(&wanted) = cph_mask_bits(set);  // the kernel reads no more
    forget_held_that_are_gone();
  }
  uint64_t open = (cph_masks_kept_open() | mark | (scope ? shown_before : 0)) & ~cph_masks.held;
  // Before the kernel's mask: a signal that comes as soon as it is open is not to be taken for a blocked one.
  if (sets && how == SIG_UNBLOCK) {
    *shown &= ~asked;
    cph_masks.held &= ~asked;
    *witnesses &= ~asked;
  } else if (sets) {
    uint64_t hidden = asked & (open | cph_masks.held);
    *shown = how == SIG_SETMASK ? hidden : shown_before | hidden;
    if (how == SIG_SETMASK) cph_masks.held &= asked;
    if (!mark && (how == SIG_SETMASK || shown_before == 0)) *witnesses = asked & ~open & ~CPH_NEVER_BLOCKED;
    *first_word(&wanted) &= ~open;
  }
  if (sets && mark) {
    uint64_t stays = cph_mask_settle_mark(scope), changes = how == SIG_UNBLOCK ? mark & ~stays : stays;
    *first_word(&wanted) = (*first_word(&wanted) & ~mark) | changes;
  }
  // What the kernel had is asked for only where it decides something: the answer costs a tenth of the call.
  bool judges = !mark && shown_before != 0 && !(sets && how == SIG_SETMASK && !old);
  int result = real(how, set ? &wanted : NULL, judges ? &before : old);
  if (result != 0) {
    uint64_t held = cph_masks.held;
    cph_masks = state_before;
    cph_masks.held = held;
    return result;
  }
  if (judges && (cph_mask_bits(&before) & witnesses_before) != witnesses_before) {
    // Left behind by a jump: what it restored had none of them.
    if (!sets || how != SIG_SETMASK) {
      *shown = sets && how == SIG_BLOCK ? asked & (open | cph_masks.held) : 0;
      *witnesses = *shown ? asked & ~open & ~CPH_NEVER_BLOCKED : 0;
    }
    shown_before = 0;
  }
  if (old) *first_word(old) = (cph_mask_bits(judges ? &before : old) & ~mark) | shown_before;
  return result;
}

static inline int change_mask(cph_mask_function *real, int how, const sigset_t *set, sigset_t *old) {
  uint64_t hides = set && how != SIG_UNBLOCK ? cph_mask_bits(set) & cph_masks_kept_open() : 0;
  if (__builtin_expect(
          (hides | cph_masks.shown | cph_masks.scopes.innermost.shown | cph_masks.scopes.marked.stack_high) == 0, 1))
    return real(how, set, old);
  return change_shown_mask(real, how, set, old);
}

#define EXPORT __attribute__((visibility("default")))

int cph_mask_change(int how, const sigset_t *set, sigset_t *old) {
  if (cph_signal_masks_are_fixed) return 0;
  cph_real_functions_find();
  cph_thread_seen();
  return change_mask(cph_real_sigprocmask, how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  return cph_mask_change(how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  if (cph_signal_masks_are_fixed) return 0;
  cph_real_functions_find();
  cph_thread_seen();
  return change_mask(cph_real_pthread_sigmask, how, set, old);
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
  return cph_mask_change(how, &set, &old) == 0 ? (int)cph_mask_bits(&old) : -1;
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
  return cph_mask_change(how, &set, NULL);
}

EXPORT int sighold(int signal) { return change_one(SIG_BLOCK, signal); }
EXPORT int sigrelse(int signal) { return change_one(SIG_UNBLOCK, signal); }
