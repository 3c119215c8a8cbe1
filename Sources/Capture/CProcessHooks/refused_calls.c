// Asking whether the program's filters refuse calls of ours. System calls only.

#include "call_filters.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "CGround/refusals.h"
#include "CGround/syscalls.h"

// No program has memory there.
#define UNREADABLE (~(uintptr_t)4095)

bool cph_stacks_are_refused(void) {
  uint64_t outer;
  stack_t present;
  CGR_REFUSALS_BEGIN(outer);
  bool is_refused = cgr_syscall2(SYS_sigaltstack, NULL, &present) != 0;
  CGR_REFUSALS_END(outer);
  return is_refused;
}

bool cph_action_is_refused(int signal, bool sets) {
  if (!cph_calls_may_be_filtered()) return false;
  // To read the action, the kernel need not be asked.
  if (cgr_call_is_barred(SYS_rt_sigaction)) return sets;
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  bool is_refused = cgr_syscall4(SYS_rt_sigaction, signal, NULL, NULL, 8) != 0;
  // The kernel reads the action before it does anything.
  if (sets && !is_refused) is_refused = cgr_syscall4(SYS_rt_sigaction, signal, UNREADABLE, NULL, 8) != -EFAULT;
  CGR_REFUSALS_END(outer);
  return is_refused;
}
