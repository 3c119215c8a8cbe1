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

/// Signals that the calling thread's handler is told are blocked, as bits of a kernel mask, while they are open in the
/// kernel: a fault of a kind that is blocked kills at once, with no handler and so no report. Holds while the thread
/// runs on the stack between the two addresses. Async-signal-safe.
void cph_signal_show_as_blocked(uint64_t bits, uintptr_t stack_low, uintptr_t stack_high);

/// Those of them that count where the calling thread is now. Async-signal-safe.
uint64_t cph_signals_shown_as_blocked(void);

/// Another thread may have been changing an action during the fork. Called in the child.
void cph_signals_after_fork(void);

/// Set on a thread whose signal mask must not change any more: its calls of sigprocmask then do nothing. For the thread
/// that makes a crash report, which has all signals blocked while libunwind blocks and opens them twice a frame.
/// Async-signal-safe.
extern _Thread_local __attribute__((tls_model("initial-exec"))) bool cph_signal_masks_are_fixed;

#pragma GCC visibility pop
