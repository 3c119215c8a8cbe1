#pragma once
// Signals by name, and the two sets of them that CrashKit knows. Async-signal-safe: tables and masks only.

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A signal's bit in a mask of the kernel's shape.
#define TERM_SIGNAL_BIT(signal) (1ull << ((signal)-1))
/// The signals that the processor or the kernel raises at an instruction. A thread that blocks one is killed by it.
#define TERM_PROCESSOR_FAULTS \
  (TERM_SIGNAL_BIT(SIGSEGV) | TERM_SIGNAL_BIT(SIGBUS) | TERM_SIGNAL_BIT(SIGILL) | TERM_SIGNAL_BIT(SIGTRAP) | \
   TERM_SIGNAL_BIT(SIGFPE) | TERM_SIGNAL_BIT(SIGSYS))
/// The signals of which CrashKit makes a report: the processor's faults, and the SIGABRT that a program sends itself.
#define TERM_HANDLED_SIGNALS (TERM_PROCESSOR_FAULTS | TERM_SIGNAL_BIT(SIGABRT))

/// The same sets for Swift, which sees no macros like these. Async-signal-safe.
static inline uint64_t term_processor_faults(void) { return TERM_PROCESSOR_FAULTS; }
static inline uint64_t term_handled_signals(void) { return TERM_HANDLED_SIGNALS; }
/// Whether a mask of the kernel's shape holds a signal. Async-signal-safe.
static inline bool term_holds(uint64_t mask, int signal) {
  return signal >= 1 && signal <= 64 && (mask & TERM_SIGNAL_BIT(signal)) != 0;
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
