#pragma once
// The program's handlers of signals that are no faults.

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef void (*cph_handler_function)(int, siginfo_t *, void *);

typedef struct cph_other_handler {
  cph_handler_function function;
  int flags;
  uint64_t mask;
} cph_other_handler;

/// Runs such a handler as the kernel would have: its stack, its mask, its flags. For use in the handler that the kernel
/// called. Async-signal-safe.
void cph_run_other_handler(int signal, siginfo_t *info, ucontext_t *context, const cph_other_handler *handler);

/// Runs a handler where the kernel called it, with the mask that the kernel gave it. Async-signal-safe.
void cph_run_plain_handler(int signal, siginfo_t *info, ucontext_t *context, cph_handler_function handler);

#pragma GCC visibility pop
