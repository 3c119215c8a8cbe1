#pragma once
// A report of the living process: stacks taken, then written.

#include "live/live_locks.h"
#include "live_result.h"
#include "report/report.h"

#pragma GCC visibility push(hidden)

/// Memory for a report; pages come into being when they are written. Knows the loaded images. NULL if there is none.
ck_report *ck_live_report_open(size_t size);

/// The report that all captures share, made at the first call; else NULL, with `error` as in live_result.h. Used under
/// the lock.
ck_report *ck_live_report_shared(int *error);

/// Starts the report anew and takes the stacks of all threads, the caller's first: from where it returns to
/// `return_address` on. False once a crash is being captured.
bool ck_live_take_all(ck_report *report, const char *kind, const void *return_address);
/// As ck_live_take_all, from the handler of a signal: the caller's stack begins where the signal came. Returns false if
/// a crash is being captured, or if the process is about to fork. Async-signal-safe.
bool ck_live_take_interrupted(ck_report *report, const char *kind, const ucontext_t *context);
/// Takes one thread's stack into `stack`, whose lists have room. Returns how it was had: CK_BY_NONE if it was not.
ck_captured_by ck_live_take_one(ck_report *report, int tid, ck_stack *stack);

/// Whether a stack of the report has a frame of the function that starts at `function`.
bool ck_live_stack_holds(ck_report *report, const ck_stack *stack, uint64_t function);

/// Finds all Swift tasks, and stops no thread for it. Returns false once a crash is being captured.
bool ck_live_find_tasks(ck_report *report);

/// Remembers where the tasks stand that were found.
void ck_live_keep_tasks(const ck_report *report);

/// Writes the file. If `replaces` is set, the file takes the place of the one before. Async-signal-safe.
void ck_live_write(ck_report *report, bool replaces, ck_live_result *result);

#pragma GCC visibility pop
