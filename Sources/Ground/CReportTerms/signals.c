// The rows of signals.def. Tables only.

#include "signals.h"

#include "CGround/signals.h"

// As in the kernel's headers; libc has no name for it.
#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1
#endif

static const struct {
  int signal;
  const char *name, *words;
} signals[] = {
#define SIGNAL(name, words) {name, #name, words},
#define CODE(signal, name)
#include "signals.def"
#undef SIGNAL
#undef CODE
};

static const struct {
  int signal, code;
  const char *name;
} codes[] = {
#define SIGNAL(name, words)
#define CODE(signal, name) {signal, name, #name},
#include "signals.def"
#undef SIGNAL
#undef CODE
};

const char *term_signal_name(int signal) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    if (signals[i].signal == signal) return signals[i].name;
  return "signal";
}

const char *term_signal_words(int signal) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    if (signals[i].signal == signal) return signals[i].words;
  return "Signal";
}

const char *term_signal_code_name(int signal, int code) {
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    if ((codes[i].signal == 0 || codes[i].signal == signal) && codes[i].code == code) return codes[i].name;
  return NULL;
}

uint64_t term_processor_faults(void) { return CGR_FAULT_SIGNALS; }
uint64_t term_handled_signals(void) { return CGR_HANDLED_SIGNALS; }

void term_fill_without(sigset_t *set, uint64_t mask) {
  sigfillset(set);
  for (int signal = 1; signal <= 64; ++signal)
    if (term_holds(mask, signal)) sigdelset(set, signal);
}
