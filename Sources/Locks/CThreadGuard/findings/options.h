#pragma once
// THREADGUARD_OPTIONS: key=value pairs, separated by commas, in the form of SWIFT_BACKTRACE. A table says what each key
// sets.

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "violation_options.h"

#pragma GCC visibility push(hidden)

/// What the variable and the program have set. Read from any thread. What follows `suppressions` is set by the variable
/// alone, before any thread reads it.
struct ctg_options {
  _Atomic int modes[CTG_KIND_COUNT];
  _Atomic unsigned limit, exit_status;
  bool summary;
  char suppressions[PATH_MAX];  // the file; empty if there is none
  bool semaphores;              // semaphores are nodes of the graph
  bool groups;                  // libdispatch's groups are
  bool freed;                   // what is held is compared with what its memory says
  bool own_steps;               // a free lock is taken by ThreadGuard's own instructions, see quick_locks.h
  // Milliseconds after which a wait, or a lock that is held, is reported; 0 for never.
  unsigned wait_limit, hold_limit;
  struct ctg_noise_option {
    bool is_set, on;
    uint64_t seed;
  } perturb;
};
extern struct ctg_options ctg_options;

/// Reads the variable, once, before anything reads the options. Does not read it in a privileged process.
/// Takes no lock that is interposed and allocates nothing.
void ctg_options_prepare(void);

#pragma GCC visibility pop
