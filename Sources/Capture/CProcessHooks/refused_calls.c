// Asking whether the program's filters refuse calls of ours. System calls only.

#include "call_filters.h"

#include <signal.h>
#include <stddef.h>

#include "CGround/kernel_action.h"
#include "CGround/refusals.h"
#include "CGround/syscalls.h"

bool cph_stacks_are_refused(void) {
  uint64_t outer;
  stack_t present;
  CGR_REFUSALS_BEGIN(outer);
  bool is_refused = cgr_syscall2(SYS_sigaltstack, NULL, &present) != 0;
  CGR_REFUSALS_END(outer);
  return is_refused;
}

bool cph_actions_are_refused(void) {
  if (!cph_calls_may_be_filtered()) return false;
  uint64_t outer;
  cgr_kernel_action present;
  CGR_REFUSALS_BEGIN(outer);
  bool is_refused = !cgr_kernel_action_get(SIGUSR1, &present);
  CGR_REFUSALS_END(outer);
  return is_refused;
}
