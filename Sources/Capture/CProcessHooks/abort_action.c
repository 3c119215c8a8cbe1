// Lets the kernel reset SIGABRT's action if the program's filter bars rt_sigaction. This file makes system calls only.
// The one exception is libc's sigaction, through a pointer taken at install.

#include "abort_action.h"

#include <stdatomic.h>

#include "process_signals.h"
#include "real_sigaction.h"

static _Atomic bool is_reset;

bool cph_abort_resets(bool resets) {
  struct sigaction action;
  if (!cph_signal_is_owned(SIGABRT)) return false;
  cph_signal_program_handler(SIGABRT, &action);
  if (action.sa_handler != SIG_DFL) return false;
  if (cph_own_sigaction(SIGABRT, NULL, &action) != 0 || !cph_is_owners_action(&action)) return false;
  action.sa_flags = resets ? action.sa_flags | (int)SA_RESETHAND : action.sa_flags & ~(int)SA_RESETHAND;
  if (cph_own_sigaction(SIGABRT, &action, NULL) != 0) return false;
  atomic_store_explicit(&is_reset, resets, memory_order_relaxed);
  return true;
}

bool cph_signal_is_reset(int signal) {
  return signal == SIGABRT && atomic_load_explicit(&is_reset, memory_order_relaxed);
}
