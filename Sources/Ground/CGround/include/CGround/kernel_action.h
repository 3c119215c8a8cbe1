#pragma once
// Actions of signals as the kernel has them: libc's sigaction refuses the signals that it keeps for itself.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "CGround/syscalls.h"

/// In `flags`: `restorer` is the function that handlers return to.
#define CK_SA_RESTORER 0x04000000ul

typedef struct ck_kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void *restorer;
  uint64_t mask;
} ck_kernel_action;

/// Async-signal-safe.
static inline bool ck_kernel_action_get(int signal, ck_kernel_action *action) {
  return ck_syscall4(SYS_rt_sigaction, signal, 0, action, 8) == 0;
}

/// Async-signal-safe.
static inline bool ck_kernel_action_set(int signal, const ck_kernel_action *action) {
  return ck_syscall4(SYS_rt_sigaction, signal, action, 0, 8) == 0;
}
