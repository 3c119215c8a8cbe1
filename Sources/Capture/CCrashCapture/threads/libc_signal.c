// A signal that libc reserves for itself, borrowed. System calls only.

#include "threads/libc_signal.h"

bool ck_libc_signal_lend(void (*handler)(int, siginfo_t *, void *), uint64_t mask, cgr_kernel_action *before) {
  cgr_kernel_action action;
  // Of one that has a handler, for the function that handlers return to.
  if (!cgr_kernel_action_get(SIGSEGV, &action) || !cgr_kernel_action_get(CK_LIBC_SIGNAL, before)) return false;
  if (before->flags & CGR_SA_RESTORER) action = *before;
  action.handler = handler;
  action.flags = (action.flags & CGR_SA_RESTORER) | SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.mask = mask;
  cgr_kernel_action now = {0};
  // A filter may claim that it is set.
  return cgr_kernel_action_set(CK_LIBC_SIGNAL, &action) && cgr_kernel_action_get(CK_LIBC_SIGNAL, &now)
         && now.handler == handler;
}
