// Refused system calls: ours, and the program's. System calls only, except the program's handler.

#include "death/refused_call.h"

#include <errno.h>
#include <stdint.h>

#include "CGround/memory.h"
#include "CGround/refusals.h"
#include "CGround/syscalls.h"
#include "CProcessHooks.h"
#include "death/program_handler.h"
#include "processor/registers.h"

// From asm-generic/siginfo.h, where libc's header may be older.
#define USER_DISPATCH 2

static void call(const struct sigaction *action, siginfo_t *info, ucontext_t *context) {
  if (action->sa_flags & SA_SIGINFO)
    action->sa_sigaction(SIGSYS, info, context);
  else
    action->sa_handler(SIGSYS);
}

bool ck_dispatched_call_is_handed_over(siginfo_t *info, ucontext_t *context) {
  struct sigaction action;
  if (info->si_code != USER_DISPATCH) return false;
  cph_signal_program_handler(SIGSYS, &action);
  if (!ck_is_program_handler(&action)) return false;
  call(&action, info, context);
  return true;
}

bool ck_refused_call_is_ours(const siginfo_t *info, ucontext_t *context) {
  if (cgr_refusals_expected != CGR_REFUSALS_EXPECTED || info->si_code == USER_DISPATCH) return false;
  ++cgr_refusals_met;
  ck_context_set_result(context, -ENOSYS);
  return true;
}

// Tries the calls that are made around each handler.
static bool our_calls_pass(void) {
  unsigned met = cgr_refusals_met, copy;
  uint64_t mask, outer;
  stack_t stack;
  CGR_REFUSALS_BEGIN(outer);
  cgr_syscall0(SYS_getpid);
  cgr_syscall0(SYS_gettid);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8);
  cgr_syscall2(SYS_sigaltstack, NULL, &stack);
  cgr_memory_read((uintptr_t)&met, &copy, sizeof copy);
  CGR_REFUSALS_END(outer);
  return cgr_refusals_met == met;
}

static bool may_run(const siginfo_t *info, const ucontext_t *context) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  bool may = ck_handler_may_run(SIGSYS, info, context);
  CGR_REFUSALS_END(outer);
  return may;
}

bool ck_refused_call_is_handed_over(siginfo_t *info, ucontext_t *context) {
  struct sigaction action;
  cph_signal_program_action(SIGSYS, &action);
  if (!ck_is_program_handler(&action) || our_calls_pass() || !may_run(info, context)) return false;
  if (action.sa_flags & (int)SA_RESETHAND) cph_signal_reset_program_action(SIGSYS);
  call(&action, info, context);
  return true;
}
