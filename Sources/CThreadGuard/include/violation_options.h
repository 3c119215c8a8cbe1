#pragma once
// What becomes of violations: set by THREADGUARD_OPTIONS and by the program, which the variable overrules.

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "violations.h"

#pragma GCC visibility push(hidden)

enum ctg_violation_mode {
  CTG_MODE_LOG,      // lines on standard error
  CTG_MODE_COLLECT,  // kept in memory for the program to take
  CTG_MODE_REPORT,   // a report file, and lines on standard error
  CTG_MODE_ABORT,    // the same, and then abort()
};

/// Reads the options and the suppression file, and has the summary said at the end. A debug build that links
/// ThreadGuard does it as it starts, a preload library has to ask for it; else the first violation does. Not for interposed
/// functions. Safe from any thread, any number of times.
void ctg_violations_start(void);

/// Leaves the summary and the exit status to another copy of this code in the same process.
void ctg_violations_stop(void);

/// What becomes of violations of a kind. Safe from any thread.
enum ctg_violation_mode ctg_mode_of(enum ctg_kind kind);

/// Sets it, unless THREADGUARD_OPTIONS has. Safe from any thread.
void ctg_set_mode(enum ctg_kind kind, enum ctg_violation_mode mode);

/// Sets how many violations a process writes and prints, unless THREADGUARD_OPTIONS has. Safe from any thread.
void ctg_set_report_limit(unsigned limit);

/// Sets the status that the process exits with at its end, if it would be 0 and a violation was reported; 0 leaves it
/// alone. Does nothing where THREADGUARD_OPTIONS has set it. Safe from any thread.
void ctg_set_exit_status(int status);

/// Adds the rules of a suppression file, at most once. Lines that are not understood are named on standard error.
/// Returns 0, or an errno where the file cannot be read. Not for interposed functions.
int ctg_read_suppressions(const char *path);

/// Says that the program wants to be given each violation itself: they are then kept for it whatever the mode, and
/// standard error gets no lines. Safe from any thread.
void ctg_listen(bool wanted);

/// Waits until a violation has been kept. For a thread that does nothing else.
void ctg_wait_for_violation(void);

/// As ctg_violation_report, for a rule that the caller states itself: it has the violation, so nothing is kept while
/// the program listens.
int ctg_violation_report_own(const struct ctg_violation *violation);

/// Hands out the kept violations, oldest first, and forgets them. What `visit` is given lasts for the call. Returns how
/// many were not kept for lack of room since the last time.
size_t ctg_take_violations(void (*visit)(const struct ctg_violation *violation, void *context), void *context);

/// The calling thread's stack, by its frame pointers, from the caller of the caller on. Returns how many addresses.
size_t ctg_own_stack(uintptr_t *addresses, size_t capacity);

#pragma GCC visibility pop
