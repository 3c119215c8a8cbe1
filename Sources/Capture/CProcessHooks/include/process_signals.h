#pragma once
// Signal actions: for an owned signal, the kernel has the owner's handler, and the program's own handler is kept here.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Puts `action` in the kernel and keeps the one found there as the program's. From then on the program reads and
/// writes the kept one. Returns 0, or errno. Not for handlers.
int cph_signal_own(int signal, const struct sigaction *action);

/// Whether the kernel keeps an owner's handler for the signal. Async-signal-safe.
bool cph_signal_is_owned(int signal);

/// Whether an action that the kernel has is an owner's. Async-signal-safe.
bool cph_is_owners_action(const struct sigaction *now);

/// Puts the program's action back into the kernel. Async-signal-safe.
void cph_signal_disown(int signal);

/// The program's action; what the kernel has if the signal is not owned. Async-signal-safe.
void cph_signal_program_action(int signal, struct sigaction *action);

/// The handler of the program's action, its flags and its mask, of a signal that is owned, without a system call: as
/// another thread that changes the action at the same time has left them so far. Async-signal-safe.
void cph_signal_program_handler(int signal, struct sigaction *action);

/// What sigaction does for the program: reads its action, and changes it if `action` is not NULL. Returns 0, or -1 with
/// errno. Async-signal-safe.
int cph_signal_change_program_action(int signal, const struct sigaction *action, struct sigaction *old);

/// Puts the program's handler in the place of ours in an action that the kernel has. Async-signal-safe.
void cph_signal_show_program_action(int signal, struct sigaction *action);

/// Makes the program's action the default one, as SA_RESETHAND does. A child of vfork resets the kernel's action, which
/// is its own: the program's is its parent's. Async-signal-safe.
void cph_signal_reset_program_action(int signal);

/// Runs the program's handler of an owned signal that is no signal of a fault as the kernel would have: its stack, its
/// mask, its flags. `action` has a handler. For use in the handler that the kernel called. Async-signal-safe.
void cph_signal_run_program_handler(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action);

/// Takes the signals that are left open (cph_masks_keep_open) out of the masks of handlers that the program has set for
/// other signals before, or puts them back once none are left open. Not for handlers.
void cph_signals_review_handlers(void);

/// Puts a handler of ours in the place of the one that the program just set past sigaction. Async-signal-safe.
void cph_signal_review_handler(int signal);

/// Another thread may have been changing an action during the fork. Called in the child.
void cph_signals_after_fork(void);

/// Has the kernel ignore the owned signals that the program ignores, for another program to inherit that; until
/// cph_signals_own_ignored_again, given the answer. Async-signal-safe.
bool cph_signals_ignore_in_earnest(void);
void cph_signals_own_ignored_again(bool any);

#pragma GCC visibility pop
