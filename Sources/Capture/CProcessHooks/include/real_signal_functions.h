#pragma once
// libc's own signal functions, past the interposed ones.

#include <signal.h>

#pragma GCC visibility push(hidden)

typedef int cph_mask_function(int, const sigset_t *, sigset_t *);

/// Async-signal-safe once cph_real_signal_functions_find has run.
extern int (*cph_real_sigaction)(int, const struct sigaction *, struct sigaction *);
extern cph_mask_function *cph_real_sigprocmask, *cph_real_pthread_sigmask;

/// Finds them by dlsym at its first call. Not for handlers.
void cph_real_signal_functions_find(void);

#pragma GCC visibility pop
