#pragma once
// Signal actions: for a signal that is owned, the kernel keeps the owner's handler and the program's own is kept here.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// libc's sigaction, past our own. Async-signal-safe once cph_signals_prepare has run.
extern int (*cph_real_sigaction)(int, const struct sigaction *, struct sigaction *);

/// Resolves what the interposed functions pass on to. Not for handlers.
void cph_signals_prepare(void);

/// Puts `action` in the kernel and keeps the one found there as the program's. From then on the program reads and
/// writes the kept one. Returns 0, or errno. Not for handlers.
int cph_signal_own(int signal, const struct sigaction *action);

/// Puts the program's action back into the kernel. Async-signal-safe.
void cph_signal_disown(int signal);

/// The program's action; what the kernel has where the signal is not owned. Async-signal-safe.
void cph_signal_program_action(int signal, struct sigaction *action);

/// Makes the program's action the default one, as SA_RESETHAND does. Async-signal-safe.
void cph_signal_reset_program_action(int signal);

/// Takes the signals that are left open (cph_masks_keep_open) out of the masks of handlers that the program has set for
/// other signals before, or puts them back once none are left open. Not for handlers.
void cph_signals_review_handlers(void);

/// Another thread may have been changing an action during the fork. Called in the child.
void cph_signals_after_fork(void);

/// Has the kernel ignore the owned signals that the program ignores, for another program to inherit that; until
/// cph_signals_own_ignored_again, given the answer. Async-signal-safe.
bool cph_signals_ignore_in_earnest(void);
void cph_signals_own_ignored_again(bool any);

#pragma GCC visibility pop
