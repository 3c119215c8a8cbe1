// The actions of signals: the kernel's and the program's. Async-signal-safe, as sigaction is: a spin lock held with all
// signals blocked.

#include "process_signals.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "call_filters.h"
#include "go_handlers.h"
#include "handler_places.h"
#include "other_handlers.h"
#include "own_process.h"
#include "process_masks.h"
#include "real_functions.h"
#include "signal_stacks.h"
#include "small_stacks.h"
#include "CGround/kernel_action.h"
#include "CGround/refusals.h"
#include "CGround/syscalls.h"

#define SIGNALS (NSIG)

static struct {
  _Atomic bool owned;
  struct sigaction program;
  // Of a signal that is not owned, while the kernel has on_other_signal for it.
  _Atomic(cph_handler_function) handler;
  _Atomic uint64_t mask;  // the handler's
  _Atomic int flags;
} signals[SIGNALS];
static atomic_flag busy = ATOMIC_FLAG_INIT;

// What the kernel has for those that are owned. A child of vfork shares this memory, but not the kernel's actions: what
// it sets, before it runs another program, is the kernel's business alone.
static struct sigaction owners_action;
// Calls under way that start another program with what this one ignores.
static int ignoring;

static bool has_handler(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

// Whether the kernel restarts a call that the signal breaks off. It does not if the program's handler says so. A signal
// that the program ignores or blocks must break off no call.
static bool restarts(int signal) {
  const struct sigaction *program = &signals[signal].program;
  return !has_handler(program) || program->sa_flags & SA_RESTART;
}

// To be called once the program's action has changed. `now` is room for the kernel's. If that ignores the signal while
// another program is started, the owner's comes back later.
static void review_restart(int signal, cgr_kernel_action *now) {
  if (!cgr_kernel_action_get(signal, now) || (uintptr_t)now->handler == (uintptr_t)SIG_IGN) return;
  unsigned long flags = restarts(signal) ? now->flags | SA_RESTART : now->flags & ~(unsigned long)SA_RESTART;
  if (flags == now->flags) return;
  now->flags = flags;
  cgr_kernel_action_set(signal, now);
}

// Used with the lock held: a handler that sets an action may have little room on its stack.
static cgr_kernel_action room_under_lock;

// A signal that is pending, of any thread, is gone once the program ignores it. The kernel drops it only if it is told
// to ignore it, if only for a moment: what comes in that moment would have been ignored as well.
static void drop_pending(int signal) {
  cgr_kernel_action *now = &room_under_lock;
  if (!cgr_kernel_action_get(signal, now)) return;
  cph_handler_function kept = now->handler;
  now->handler = (cph_handler_function)(uintptr_t)SIG_IGN;
  bool is_set = cgr_kernel_action_set(signal, now);
  now->handler = kept;
  if (is_set) cgr_kernel_action_set(signal, now);
}

// Makes it what a program reads back without us: libc adds the function to which handlers return, the same for all
// signals, and the kernel lets no handler block SIGKILL and SIGSTOP. Called with the lock held.
static void complete_action(int signal, struct sigaction *action) {
  cgr_kernel_action *now = &room_under_lock;
  *(uint64_t *)&action->sa_mask &= ~CPH_UNBLOCKABLE;
  if (!cgr_kernel_action_get(signal, now) || !(now->flags & CGR_SA_RESTORER)) return;
  action->sa_flags |= (int)CGR_SA_RESTORER;
  action->sa_restorer = (void (*)(void))(uintptr_t)now->restorer;
}

// A filter may answer it with a signal, whose handler asks again.
static void set_mask(const uint64_t *mask, uint64_t *saved) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, mask, saved, 8);
  CGR_REFUSALS_END(outer);
}

// Past libc, whose functions leave two signals open: a thread that is stopped by one of them would keep the lock.
static void lock(uint64_t *saved) {
  uint64_t all = ~0ull;
  *saved = 0;  // if the call is refused, so is the one behind it
  set_mask(&all, saved);
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
  }
}

static void unlock(const uint64_t *saved) {
  atomic_flag_clear_explicit(&busy, memory_order_release);
  set_mask(saved, NULL);
}

bool cph_is_owners_action(const struct sigaction *action) { return action->sa_sigaction == owners_action.sa_sigaction; }

bool cph_signal_is_owned(int signal) {
  return signal > 0 && signal < SIGNALS && atomic_load_explicit(&signals[signal].owned, memory_order_acquire);
}

int cph_signal_own(int signal, const struct sigaction *action) {
  cph_real_functions_find();
  uint64_t saved;
  lock(&saved);
  int result = 0;
  cph_own_process_note();
  owners_action = *action;
  if (!cph_signal_is_owned(signal)) {
    if (cph_own_sigaction(signal, action, &signals[signal].program) == 0) {
      cph_note_go_handler(&signals[signal].program);
      review_restart(signal, &room_under_lock);
      atomic_store_explicit(&signals[signal].owned, true, memory_order_release);
    } else {
      result = cgr_call_is_barred(SYS_rt_sigaction) ? EPERM : errno;
    }
  }
  unlock(&saved);
  return result;
}

void cph_signal_disown(int signal) {
  if (!cph_signal_is_owned(signal)) return;
  uint64_t saved;
  lock(&saved);
  cph_own_sigaction(signal, &signals[signal].program, NULL);
  atomic_store_explicit(&signals[signal].owned, false, memory_order_release);
  unlock(&saved);
}

void cph_signal_program_action(int signal, struct sigaction *action) {
  if (!cph_signal_is_owned(signal)) {
    cph_real_sigaction(signal, NULL, action);
    return;
  }
  uint64_t saved;
  lock(&saved);
  *action = signals[signal].program;
  unlock(&saved);
}

void cph_signal_program_handler(int signal, struct sigaction *action) {
  const volatile struct sigaction *program = &signals[signal].program;
  *action = (struct sigaction){.sa_flags = program->sa_flags};
  action->sa_sigaction = program->sa_sigaction;
  *(uint64_t *)&action->sa_mask = *(const volatile uint64_t *)&program->sa_mask;
}

void cph_signal_reset_program_action(int signal) {
  if (!cph_is_own_process()) {
    static const struct sigaction usual = {.sa_handler = SIG_DFL};
    cph_own_sigaction(signal, &usual, NULL);
    return;
  }
  uint64_t saved;
  lock(&saved);
  signals[signal].program.sa_handler = SIG_DFL;
  unlock(&saved);
}

// --- What another program inherits as ignored ------------------------------------------------------------------------

static bool ignores(int signal) { return cph_signal_is_owned(signal) && signals[signal].program.sa_handler == SIG_IGN; }

// In a child of vfork too, whose kernel's actions may no longer be the owner's.
static bool ignore_in_earnest(void) {
  static const struct sigaction ignore = {.sa_handler = SIG_IGN};
  bool any = false;
  for (int signal = 1; signal < SIGNALS; ++signal) {
    struct sigaction now;
    if (!ignores(signal) || cph_own_sigaction(signal, NULL, &now) != 0) continue;
    if (!cph_is_owners_action(&now) && now.sa_handler != SIG_IGN) continue;
    any = cph_own_sigaction(signal, &ignore, NULL) == 0 || any;
  }
  return any;
}

// A child of vfork may ignore others on its own account.
static void own_ignored_again(bool all) {
  for (int signal = 1; signal < SIGNALS; ++signal) {
    struct sigaction now;
    if (cph_signal_is_owned(signal) && (all || ignores(signal)) && cph_own_sigaction(signal, NULL, &now) == 0
        && now.sa_handler == SIG_IGN && cph_own_sigaction(signal, &owners_action, NULL) == 0) {
      cgr_kernel_action room;
      review_restart(signal, &room);
    }
  }
}

bool cph_signals_ignore_in_earnest(void) {
  bool any = false;
  for (int signal = 1; signal < SIGNALS; ++signal) {
    if (!ignores(signal)) continue;
    if (cph_action_is_refused(signal, true)) return false;
    any = true;
  }
  if (!any) return false;
  if (!cph_is_own_process()) return ignore_in_earnest();
  uint64_t saved;
  lock(&saved);
  any = ignore_in_earnest();
  ignoring += any;
  unlock(&saved);
  return any;
}

void cph_signals_own_ignored_again(bool any) {
  if (!any) return;
  if (!cph_is_own_process()) return own_ignored_again(false);
  uint64_t saved;
  lock(&saved);
  if (--ignoring == 0) own_ignored_again(true);
  unlock(&saved);
}

void cph_signals_after_fork(void) {
  atomic_flag_clear(&busy);
  cph_own_process_note();
  // The parent's calls under way do not end here.
  if (ignoring > 0) own_ignored_again(true);
  ignoring = 0;
}

// --- Handlers of other signals ---------------------------------------------------------------------------------------

// The kernel has a handler of ours in their place. For handlers that block the signals of faults, and those that run on
// the alternate stack: the program sees blocked, while its own runs, what the kernel has open; and it runs on the stack
// that the program set for it. For the others, because of the alternate stack that the return from them puts back.

static void answer_other(int signal, siginfo_t *info, ucontext_t *context) {
  cph_handler_function function = atomic_load_explicit(&signals[signal].handler, memory_order_acquire);
  if (!function) return;
  int flags = atomic_load_explicit(&signals[signal].flags, memory_order_relaxed);
  uint64_t mask = atomic_load_explicit(&signals[signal].mask, memory_order_relaxed);
  cph_run_other_handler(signal, info, context, &(cph_other_handler){function, flags, mask});
}

static void on_other_signal(int signal, siginfo_t *info, void *context) {
  cph_leave_small_stack(signal, info, context, answer_other);
  answer_other(signal, info, context);
}

void cph_signal_run_program_handler(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action) {
  if (action->sa_flags & (int)SA_RESETHAND) cph_signal_reset_program_action(signal);
  uint64_t mask = *(const uint64_t *)&action->sa_mask & ~CPH_UNBLOCKABLE;
  cph_run_other_handler(signal, info, context, &(cph_other_handler){action->sa_sigaction, action->sa_flags, mask});
}

static void on_plain_signal(int signal, siginfo_t *info, void *context) {
  cph_handler_function handler = atomic_load_explicit(&signals[signal].handler, memory_order_acquire);
  if (handler) cph_run_plain_handler(signal, info, context, handler);
}

static bool is_in_place_of_other(const struct sigaction *action) {
  bool ours = action->sa_sigaction == on_other_signal || action->sa_sigaction == on_plain_signal;
  return action->sa_flags & SA_SIGINFO && ours;
}

// Whether the kernel is to have a handler of ours for it.
static bool needs_us(const struct sigaction *action) { return has_handler(action) && cph_masks_kept_open() != 0; }

static bool is_plain(const struct sigaction *action) {
  return !(*(const uint64_t *)&action->sa_mask & cph_masks_kept_open()) && !(action->sa_flags & SA_ONSTACK);
}

// The kernel took ours out as it called it, and left the rest.
static bool was_reset(int signal, const struct sigaction *action) {
  if (action->sa_handler != SIG_DFL || !(action->sa_flags & (int)SA_RESETHAND)) return false;
  uint64_t mask = *(const uint64_t *)&action->sa_mask, ours = ~cph_masks_kept_open() & ~CPH_UNBLOCKABLE;
  return atomic_load(&signals[signal].handler) && (mask == ours || mask == atomic_load(&signals[signal].mask));
}

void cph_signal_show_program_action(int signal, struct sigaction *action) {
  bool is_reset = was_reset(signal, action);
  if (!is_reset && !is_in_place_of_other(action)) return;
  if (!is_reset) action->sa_sigaction = atomic_load(&signals[signal].handler);
  if (!(atomic_load(&signals[signal].flags) & SA_SIGINFO)) action->sa_flags &= ~SA_SIGINFO;
  *(uint64_t *)&action->sa_mask = atomic_load(&signals[signal].mask);
}

// Called with the lock held. The kernel's action changes last where ours begins, and first where it ends.
static int set_other(int signal, const struct sigaction *action, struct sigaction *old) {
  struct sigaction before, wanted = *action;
  if (cph_real_sigaction(signal, NULL, &before) != 0) return -1;
  cph_signal_show_program_action(signal, &before);
  if (needs_us(action)) {
    bool plain = is_plain(action);
    // Until the handler has its stack and its mask, no other handler comes between.
    if (!plain) *(uint64_t *)&wanted.sa_mask = ~cph_masks_kept_open();
    wanted.sa_flags |= SA_SIGINFO;
    wanted.sa_sigaction = plain ? on_plain_signal : on_other_signal;
    atomic_store(&signals[signal].flags, action->sa_flags);
    // The kernel keeps no such mask either.
    atomic_store(&signals[signal].mask, *(const uint64_t *)&action->sa_mask & ~CPH_UNBLOCKABLE);
    atomic_store_explicit(&signals[signal].handler, action->sa_sigaction, memory_order_release);
  }
  int result = cph_real_sigaction(signal, &wanted, NULL);
  if (result == 0 && old) *old = before;
  return result;
}

// For a child of vfork: what it sets is the kernel's alone, and its parent keeps what it has. The program's action is
// what the kernel has, unless that is still the owner's or a handler of ours.
static int set_childs(int signal, const struct sigaction *action, struct sigaction *old) {
  struct sigaction before;
  if (action && has_handler(action) && action->sa_flags & SA_ONSTACK) cph_signal_stack_childs_own();
  int result = cph_real_sigaction(signal, action, &before);
  if (result != 0 || !old) return result;
  cph_signal_show_program_action(signal, &before);
  *old = cph_is_owners_action(&before) ? signals[signal].program : before;
  return 0;
}

static int other_action(int signal, const struct sigaction *action, struct sigaction *old) {
  bool known = signal > 0 && signal < SIGNALS;
  bool is_recorded = known && atomic_load(&signals[signal].handler);
  if (!known || (!is_recorded && !(action && needs_us(action)))) return cph_real_sigaction(signal, action, old);
  if (!cph_is_own_process()) return set_childs(signal, action, old);
  // The lock blocks the signal with which a filter may answer.
  if (cph_action_is_refused(signal, action)) return cph_real_sigaction(signal, action, old);
  struct sigaction wanted, before;
  if (action) wanted = *action;
  uint64_t saved;
  lock(&saved);
  int result = action ? set_other(signal, &wanted, &before) : cph_real_sigaction(signal, NULL, &before);
  if (result == 0) cph_signal_show_program_action(signal, &before);
  int error = errno;
  unlock(&saved);
  if (result == 0 && old) *old = before;
  errno = error;
  return result;
}

// Puts ours in place of what the kernel has, or the other way round.
static void review_handler(int signal) {
  struct sigaction action;
  uint64_t saved;
  if (cph_signal_is_owned(signal)) return;
  lock(&saved);
  if (cph_real_sigaction(signal, NULL, &action) == 0) {
    bool ours = is_in_place_of_other(&action);
    cph_signal_show_program_action(signal, &action);
    cph_note_go_handler(&action);
    if (ours != needs_us(&action)) set_other(signal, &action, NULL);
  }
  unlock(&saved);
}

void cph_signal_review_handler(int signal) {
  if (cph_masks_kept_open() && cph_is_own_process()) review_handler(signal);
}

void cph_signals_review_handlers(void) {
  for (int signal = 1; signal < SIGNALS; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP || signal == 32 || signal == 33) continue;
    review_handler(signal);
  }
}

// --- What the interposed functions change --------------------------------------------------------------------------

int cph_signal_change_program_action(int signal, const struct sigaction *action, struct sigaction *old) {
  if (action) cph_note_go_handler(action);
  if (!cph_signal_is_owned(signal)) return other_action(signal, action, old);
  if (!cph_is_own_process()) return set_childs(signal, action, old);
  // Whoever answers in the kernel's place answers this call too.
  if (cph_action_is_refused(signal, action)) return cph_real_sigaction(signal, action, old);
  // Read before the lock is held and written after: a bad pointer faults here, as it would in libc.
  struct sigaction wanted;
  if (action) wanted = *action;
  uint64_t saved;
  lock(&saved);
  struct sigaction before = signals[signal].program;
  bool restarted = restarts(signal);
  if (action) {
    complete_action(signal, &wanted);
    signals[signal].program = wanted;
  }
  if (restarts(signal) != restarted) review_restart(signal, &room_under_lock);
  if (action && wanted.sa_handler == SIG_IGN) drop_pending(signal);
  unlock(&saved);
  if (old) *old = before;
  return 0;
}
