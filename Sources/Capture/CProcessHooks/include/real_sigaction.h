#pragma once
// libc's own sigaction, behind the interposed one, for other parts.

#include <signal.h>

#pragma GCC visibility push(hidden)

/// Async-signal-safe once cph_real_functions_find has run.
extern int (*cph_real_sigaction)(int, const struct sigaction *, struct sigaction *);

/// The same for handlers of CrashKit's own. ThreadSanitizer would call these as the program's: late, and with its
/// checks of what handlers may do. These end the process while its own handler makes a report. This one goes past it.
/// Returns -1, and leaves errno, if the call is barred (barred_calls.h). Async-signal-safe once cph_real_functions_find
/// has run.
int cph_own_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/// Finds libc's own of all interposed functions by dlsym, at its first call. That is made as the library is loaded: a
/// handler, or a child of fork, is not to ask the loader, whose lock another thread may hold. Constructors of other
/// libraries may come before that, so interposed functions call this first. It allocates nothing. Any thread;
/// async-signal-safe from the second call on.
void cph_real_functions_find(void);

#pragma GCC visibility pop
