#pragma once
// Keeps the text that Rust's runtime prints when a thread panics, for the report.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "words_max.h"

#pragma GCC visibility push(hidden)

typedef struct cph_panic {
  const char *text;  // up to CPH_WORDS_MAX bytes; it stays where it is
  size_t size;
  int thread;
  uintptr_t stack_pointer;  // of the thread as it printed the text
  uint64_t time_ns;         // CLOCK_MONOTONIC
} cph_panic;

/// The process's last panic, if it is not older than ten seconds. False if there is none. The program may have caught
/// it. Async-signal-safe.
bool cph_last_panic(cph_panic *panic);

/// Whether the panic still goes on where its thread's stack pointer is this one, in the function that panicked or
/// further in. A thread that caught the panic has left that function. Async-signal-safe.
bool cph_panic_goes_on(const cph_panic *panic, int thread, uintptr_t stack_pointer);

#pragma GCC visibility pop
