#pragma once
// What ThreadGuard does with violations. The program and THREADGUARD_OPTIONS set it; the variable has priority.

#include "kinds.h"

#pragma GCC visibility push(hidden)

enum ctg_violation_mode {
  CTG_MODE_LOG,      // lines on standard error
  CTG_MODE_COLLECT,  // kept in memory for the program to take
  CTG_MODE_REPORT,   // a report file, and lines on standard error
  CTG_MODE_ABORT,    // the same, and then abort()
};

/// What becomes of violations of a kind. Safe from any thread.
enum ctg_violation_mode ctg_mode_of(enum ctg_kind kind);

/// Sets it, unless THREADGUARD_OPTIONS has. Safe from any thread.
void ctg_set_mode(enum ctg_kind kind, enum ctg_violation_mode mode);

/// Sets how many violations a process writes and prints, unless THREADGUARD_OPTIONS has. Safe from any thread.
void ctg_set_report_limit(unsigned limit);

/// Sets the status that the process exits with at its end, if it would be 0 and a violation was reported; 0 leaves it
/// alone. Does nothing where THREADGUARD_OPTIONS has set it. Safe from any thread.
void ctg_set_exit_status(int status);

#pragma GCC visibility pop
