#pragma once
// Finds the kept throw of a given error. Reads that cannot fault.

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

/// What a throw is known to be to an error.
typedef enum ck_throw_known {
  CK_THROW_UNKNOWN,
  CK_THROW_OF_TYPE,   // it threw an error of the same type; the value is not known
  CK_THROW_OF_VALUE,  // it threw an equal error, perhaps this one
  CK_THROW_OF_ERROR,  // it threw this very error
} ck_throw_known;

/// Finds the throw of the error whose box is at `box`. An error that its catcher threw again on the same thread has the
/// place of its first throw, if that is still kept. An error that lives is never surely that of a typed throw: its
/// program may have made an equal one by hand. Returns CK_THROW_UNKNOWN also if an error with another type lies there
/// by now. Async-signal-safe, under a guard.
ck_throw_known ck_throw_of_error(const crp_images *images, uint64_t box, const ck_error_holder *holder,
                                 ck_throw *thrown);

/// How a thread dies: its registers, and what the runtime said.
typedef struct ck_error_crash {
  const ck_registers *registers;
  const cgr_text *message;
} ck_error_crash;

/// The same of the error that a thread dies of in `try!` or at top level: a typed throw is surely its own if the thread
/// or the task threw nothing after it. Returns CK_THROW_UNKNOWN also if the thread dies of anything else.
/// Async-signal-safe, under a guard.
ck_throw_known ck_throw_of_crash(const crp_images *images, const ck_error_crash *crash, const ck_error_holder *holder,
                                 ck_throw *thrown);

/// Leaves only the frames of the program: without those of the runtime and of hooks, which announced the throw.
/// Async-signal-safe, under a guard.
void ck_throw_drop_runtime(const crp_images *images, ck_throw *thrown);

/// Leaves out what is no return address, since the function inside keeps its own elsewhere. Call it once, after
/// ck_throw_drop_runtime. Async-signal-safe, under a guard.
void ck_throw_drop_strays(const crp_images *images, ck_throw *thrown);

#pragma GCC visibility pop
