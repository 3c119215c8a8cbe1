#pragma once
// Why the process died: a code, and a sentence.

#include <signal.h>
#include <stdbool.h>

#include "causes.h"
#include "registers.h"
#include "text.h"

#pragma GCC visibility push(hidden)

/// What a cause is told from.
typedef struct ck_fault {
  int signal;
  siginfo_t info;
  ucontext_t *context;
  ck_registers registers;
  bool has_address;
  uint64_t address;
  bool has_sender;
} ck_fault;

/// Fills `fault` from what a handler was given. Async-signal-safe.
void ck_fault_read(ck_fault *fault, int signal, const siginfo_t *info, ucontext_t *context);

/// Whether the thread faulted by jumping to where no code can run. Async-signal-safe.
bool ck_fault_is_bad_jump(const ck_fault *fault);

/// Writes the cause's sentence and returns its code. If only the signal is known, `text` stays empty and the cause is
/// unknown. `message` is what the program said as it stopped, or empty. Async-signal-safe: reads /proc/self/maps.
term_cause ck_cause_write(const ck_fault *fault, const ck_text *message, ck_text *text);

#pragma GCC visibility pop
