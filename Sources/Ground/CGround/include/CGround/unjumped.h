#pragma once
// Code that the crash handler's time limit must not leave by a jump.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

#define CGR_OF_THREAD _Thread_local __attribute__((tls_model("initial-exec")))

/// Above 0 while the time limit must not jump: between a write and the note that it was made, say. A system call that
/// blocks meanwhile is interrupted in any case, and has to look at cgr_report_out_of_time.
extern CGR_OF_THREAD volatile int cgr_guard_held;

/// Set when the time for the report is up: stages that have not begun are left out.
extern volatile bool cgr_report_out_of_time;

#pragma GCC visibility pop
