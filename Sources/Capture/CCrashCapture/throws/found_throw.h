#pragma once
// Which of the throws that are kept threw a certain error. Reads that cannot fault.

#include <stdbool.h>
#include <stdint.h>

#include "CGround/text.h"
#include "CReportParts/images.h"
#include "processor/registers.h"
#include "throws/throw_table.h"

#pragma GCC visibility push(hidden)

/// Who has the error now: a typed throw is known by its thread or its task, and by what it threw.
typedef struct ck_error_holder {
  uint32_t thread;
  uint64_t task;  // 0 for none
} ck_error_holder;

/// Finds the throw of the error whose box is at `box`. An error that its catcher threw again on the same thread has the
/// place of its first throw, if that is still kept. Returns false if no throw is known, or an error with another type
/// lies there by now. Async-signal-safe, under a guard.
bool ck_throw_of_error(const crp_images *images, uint64_t box, const ck_error_holder *holder, ck_throw *thrown);

/// How a thread dies: its registers, and what the runtime said.
typedef struct ck_error_crash {
  const ck_registers *registers;
  const cgr_text *message;
} ck_error_crash;

/// The same of the error that a thread dies of in `try!` or at top level. Returns false if it dies of anything else.
/// Async-signal-safe, under a guard.
bool ck_throw_of_crash(const crp_images *images, const ck_error_crash *crash, const ck_error_holder *holder,
                       ck_throw *thrown);

/// Leaves only the frames of the program: without those of the runtime and of hooks, which announced the throw.
/// Async-signal-safe, under a guard.
void ck_throw_drop_runtime(const crp_images *images, ck_throw *thrown);

#pragma GCC visibility pop
