// Dying as the program would have. System calls only.

#include "death/death.h"

#include <stdbool.h>
#include <stdint.h>

#include "CProcessHooks.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"

// False if the program has forbidden itself to change actions (seccomp). The filter may claim that it is done.
static bool set_default(int signal) {
  if (cph_signal_is_reset(signal)) return true;
  // Past libc, whose structures are larger: a thread may be here on an alternate stack of two thousand bytes.
  uint64_t defaults[4] = {0}, now[4] = {1};  // handler, flags, restorer, mask
  return cgr_syscall4(SYS_rt_sigaction, signal, defaults, NULL, 8) == 0
         && cgr_syscall4(SYS_rt_sigaction, signal, NULL, now, 8) == 0 && now[0] == 0;
}

// Whether the instruction faults again when the handler returns: the kernel then kills even PID 1.
static bool comes_back(int signal, const siginfo_t *info) {
  if (info->si_code <= 0) return false;
  if (signal == SIGBUS) return info->si_code != BUS_MCEERR_AO;
  return signal == SIGSEGV || signal == SIGILL || signal == SIGFPE;
}

// The kernel lets a process queue any code and sender to itself (rt_tgsigqueueinfo(2)), so that a core or a waiting
// parent sees the signal as it was.
static bool queue(int signal, const siginfo_t *info) {
  long process = cgr_process_id(), thread = cgr_thread_id();
  if (cgr_syscall4(SYS_rt_tgsigqueueinfo, process, thread, signal, info) >= 0) return true;
  if (cgr_syscall3(SYS_tgkill, process, thread, signal) >= 0) return true;
  // The program, as in abort(), has made this very call: a filter that looks at its arguments lets it pass.
  if (info->si_code != SI_TKILL || info->si_pid != process || !cgr_call_is_barred(SYS_tgkill)) return false;
  return cgr_kernel_call(SYS_tgkill, process, thread, signal, 0, 0, 0) >= 0;
}

void ck_die_on_return(int signal, const siginfo_t *info, ucontext_t *context) {
  uint64_t one = 1ull << (signal - 1);
  if (!set_default(signal)) {
    // A fault whose signal is blocked kills without asking for the action.
    if (!comes_back(signal, info)) cph_real_exit_now(128 + signal);
    ((uint64_t *)&context->uc_sigmask)[0] |= one;
    return;
  }
  ((uint64_t *)&context->uc_sigmask)[0] &= ~one;
  bool init = cgr_process_id() == 1;
  if (init && comes_back(signal, info)) return;
  // Until the return: the core is then of what was interrupted, not of this function.
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &one, NULL, 8);
  if (!init && (queue(signal, info) || comes_back(signal, info))) return;
  cph_real_exit_now(128 + signal);
}

void ck_die_now(int signal, const siginfo_t *info) {
  if (!set_default(signal)) cph_real_exit_now(128 + signal);
  uint64_t one = 1ull << (signal - 1);
  if (cgr_process_id() != 1) queue(signal, info);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, 8);
  cph_real_exit_now(128 + signal);
}
