// Interposed signal functions. Async-signal-safe, as sigaction is: a spin lock held with all signals blocked.

#include "process_signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "syscalls.h"

int (*cph_real_sigaction)(int, const struct sigaction *, struct sigaction *);
static int (*real_sigprocmask)(int, const sigset_t *, sigset_t *);
static int (*real_pthread_sigmask)(int, const sigset_t *, sigset_t *);

#define SIGNALS (NSIG)

static struct {
  _Atomic bool owned;
  struct sigaction program;
} signals[SIGNALS];
static atomic_flag busy = ATOMIC_FLAG_INIT;

void cph_signals_prepare(void) {
  if (cph_real_sigaction) return;
  real_sigprocmask = (typeof(real_sigprocmask))dlsym(RTLD_NEXT, "sigprocmask");
  real_pthread_sigmask = (typeof(real_pthread_sigmask))dlsym(RTLD_NEXT, "pthread_sigmask");
  cph_real_sigaction = (typeof(cph_real_sigaction))dlsym(RTLD_NEXT, "sigaction");
}

void cph_signals_after_fork(void) { atomic_flag_clear(&busy); }

// Past libc, whose functions leave two signals open: a thread that is stopped by one of them would keep the lock.
static void lock(uint64_t *saved) {
  uint64_t all = ~0ull;
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, saved, 8);
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
  }
}

static void unlock(const uint64_t *saved) {
  atomic_flag_clear_explicit(&busy, memory_order_release);
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, saved, NULL, 8);
}

static bool is_owned(int signal) {
  return signal > 0 && signal < SIGNALS && atomic_load_explicit(&signals[signal].owned, memory_order_acquire);
}

int cph_signal_own(int signal, const struct sigaction *action) {
  cph_signals_prepare();
  uint64_t saved;
  lock(&saved);
  int result = 0;
  if (!is_owned(signal)) {
    if (cph_real_sigaction(signal, action, &signals[signal].program) == 0)
      atomic_store_explicit(&signals[signal].owned, true, memory_order_release);
    else
      result = errno;
  }
  unlock(&saved);
  return result;
}

void cph_signal_disown(int signal) {
  if (!is_owned(signal)) return;
  uint64_t saved;
  lock(&saved);
  cph_real_sigaction(signal, &signals[signal].program, NULL);
  atomic_store_explicit(&signals[signal].owned, false, memory_order_release);
  unlock(&saved);
}

void cph_signal_program_action(int signal, struct sigaction *action) {
  if (!is_owned(signal)) {
    cph_real_sigaction(signal, NULL, action);
    return;
  }
  uint64_t saved;
  lock(&saved);
  *action = signals[signal].program;
  unlock(&saved);
}

void cph_signal_reset_program_action(int signal) {
  uint64_t saved;
  lock(&saved);
  signals[signal].program.sa_handler = SIG_DFL;
  unlock(&saved);
}

// --- The interposed functions --------------------------------------------------------------------------------

#define EXPORT __attribute__((visibility("default")))

EXPORT int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old) {
  cph_signals_prepare();
  if (!is_owned(signal)) return cph_real_sigaction(signal, action, old);
  // Read before the lock is held and written after: a bad pointer faults here, as it would in libc.
  struct sigaction wanted;
  if (action) wanted = *action;
  uint64_t saved;
  lock(&saved);
  struct sigaction before = signals[signal].program;
  if (action) signals[signal].program = wanted;
  unlock(&saved);
  if (old) *old = before;
  return 0;
}

static sighandler_t set_handler(const char *name, int signal, sighandler_t handler, int flags) {
  if (!is_owned(signal)) {
    sighandler_t (*real)(int, sighandler_t) = (sighandler_t (*)(int, sighandler_t))dlsym(RTLD_NEXT, name);
    return real(signal, handler);
  }
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
  sigemptyset(&action.sa_mask);
  if (!(flags & SA_NODEFER)) sigaddset(&action.sa_mask, signal);
  sigaction(signal, &action, &old);
  return old.sa_handler;
}

EXPORT sighandler_t signal(int number, sighandler_t handler) {
  return set_handler("signal", number, handler, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) {
  return set_handler("bsd_signal", number, handler, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) {
  return set_handler("sysv_signal", number, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) {
  return set_handler("__sysv_signal", number, handler, SA_RESETHAND | SA_NODEFER);
}

_Thread_local __attribute__((tls_model("initial-exec"))) bool cph_signal_masks_are_fixed;

// --- Signals that a handler of the program believes to be blocked ---------------------------------------------------

static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  uint64_t bits;
  uintptr_t stack_low, stack_high;
} shown_as_blocked;

void cph_signal_show_as_blocked(uint64_t bits, uintptr_t stack_low, uintptr_t stack_high) {
  shown_as_blocked.bits = bits;
  shown_as_blocked.stack_low = stack_low;
  shown_as_blocked.stack_high = stack_high;
}

// A handler that jumped away has left the stack that it ran on.
uint64_t cph_signals_shown_as_blocked(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  bool inside = here >= shown_as_blocked.stack_low && here < shown_as_blocked.stack_high;
  return inside ? shown_as_blocked.bits : 0;
}

static int change_mask(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old) {
  uint64_t shown = cph_signals_shown_as_blocked();
  if (shown == 0) return real(how, set, old);
  sigset_t wanted;
  if (set) {
    wanted = *set;
    uint64_t *bits = (uint64_t *)&wanted;
    uint64_t left = how == SIG_UNBLOCK ? shown & ~*bits : how == SIG_SETMASK ? shown & *bits : shown;
    if (how != SIG_UNBLOCK) *bits &= ~left;
    shown_as_blocked.bits = left;
  }
  int result = real(how, set ? &wanted : NULL, old);
  if (result == 0 && old) *(uint64_t *)old |= shown;
  return result;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  if (cph_signal_masks_are_fixed) return 0;
  cph_signals_prepare();
  return change_mask(real_sigprocmask, how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  if (cph_signal_masks_are_fixed) return 0;
  cph_signals_prepare();
  return change_mask(real_pthread_sigmask, how, set, old);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler) {
  if (!is_owned(number) || handler == SIG_HOLD) {
    sighandler_t (*real)(int, sighandler_t) = (sighandler_t (*)(int, sighandler_t))dlsym(RTLD_NEXT, "sigset");
    return real(number, handler);
  }
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, number);
  real_sigprocmask(SIG_UNBLOCK, &one, &before);
  sighandler_t old = set_handler("sigset", number, handler, 0);
  return sigismember(&before, number) ? SIG_HOLD : old;
}
