#pragma once
// Signals by name, and the two sets of them for Swift. Async-signal-safe: tables and masks only.

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The sets of CGround's signals.h, for Swift: the signals of faults, and all that have a handler of ours.
/// Async-signal-safe.
uint64_t term_processor_faults(void);
uint64_t term_handled_signals(void);
/// Whether a mask of the kernel's shape holds a signal. Async-signal-safe.
static inline bool term_holds(uint64_t mask, int signal) {
  return signal >= 1 && signal <= 64 && (mask >> (signal - 1) & 1) != 0;
}
/// Fills a set with all signals but those of a mask. Async-signal-safe.
void term_fill_without(sigset_t *set, uint64_t mask);

/// "SIGSEGV"; "signal" if it has no name. Async-signal-safe.
const char *term_signal_name(int signal);
/// "Segmentation fault"; "Signal" if it has no name. Async-signal-safe.
const char *term_signal_words(int signal);
/// "SEGV_MAPERR"; NULL if the code has no name. Async-signal-safe.
const char *term_signal_code_name(int signal, int code);

#pragma GCC visibility pop
