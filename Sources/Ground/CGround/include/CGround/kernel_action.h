#pragma once
// The kernel's actions of signals, because libc's sigaction refuses the signals that it reserves for itself.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "CGround/syscalls.h"

/// In `flags`: `restorer` is the function that handlers return to.
#define CGR_SA_RESTORER 0x04000000ul

typedef struct cgr_kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void *restorer;
  uint64_t mask;
} cgr_kernel_action;

/// Async-signal-safe.
static inline bool cgr_kernel_action_get(int signal, cgr_kernel_action *action) {
  return cgr_syscall4(SYS_rt_sigaction, signal, 0, action, 8) == 0;
}

/// Async-signal-safe.
static inline bool cgr_kernel_action_set(int signal, const cgr_kernel_action *action) {
  return cgr_syscall4(SYS_rt_sigaction, signal, action, 0, 8) == 0;
}
