// The interposed functions of signal actions. Async-signal-safe, as sigaction is. None calls another one by its name,
// which may be the program's own function: a sanitizer's in the program comes first, and would be called twice.

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "process_masks.h"
#include "process_signals.h"
#include "process_threads.h"
#include "real_functions.h"

#define EXPORT __attribute__((visibility("default")))

static int change_action(int signal, const struct sigaction *action, struct sigaction *old) {
  cph_real_functions_find();
  cph_thread_seen();
  return cph_signal_change_program_action(signal, action, old);
}

EXPORT int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old) {
  return change_action(signal, action, old);
}

static sighandler_t set_handler(typeof(signal) *real, int signal, sighandler_t handler, int flags) {
  if (!cph_signal_is_owned(signal)) {
    // What libc answers may be a handler of ours; the program's is forgotten once the new one has its place.
    struct sigaction old;
    int error = errno;
    bool is_known = cph_signal_change_program_action(signal, NULL, &old) == 0;
    errno = error;
    sighandler_t before = real(signal, handler);
    error = errno;
    if (before != SIG_ERR) cph_signal_review_handler(signal);
    errno = error;
    return before == SIG_ERR || !is_known ? before : old.sa_handler;
  }
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
  sigemptyset(&action.sa_mask);
  if (!(flags & SA_NODEFER)) sigaddset(&action.sa_mask, signal);
  change_action(signal, &action, &old);
  return old.sa_handler;
}

EXPORT sighandler_t signal(int number, sighandler_t handler) {
  cph_real_functions_find();
  return set_handler(cph_real_signal, number, handler, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) {
  cph_real_functions_find();
  return set_handler(cph_real_bsd_signal, number, handler, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) {
  cph_real_functions_find();
  return set_handler(cph_real_sysv_signal, number, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) {
  cph_real_functions_find();
  return set_handler(cph_real___sysv_signal, number, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t ssignal(int number, sighandler_t handler) {
  cph_real_functions_find();
  return set_handler(cph_real_ssignal, number, handler, SA_RESTART);
}

EXPORT int sigignore(int number) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigemptyset(&action.sa_mask);
  return change_action(number, &action, NULL);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler) {
  cph_real_functions_find();
  if (number <= 0 || number >= NSIG || handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, number);
  struct sigaction old;
  if (handler == SIG_HOLD) {
    if (cph_mask_change(SIG_BLOCK, &one, &before) != 0 || change_action(number, NULL, &old) != 0) return SIG_ERR;
  } else {
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    if (change_action(number, &action, &old) != 0 || cph_mask_change(SIG_UNBLOCK, &one, &before) != 0) return SIG_ERR;
  }
  return sigismember(&before, number) ? SIG_HOLD : old.sa_handler;
}
