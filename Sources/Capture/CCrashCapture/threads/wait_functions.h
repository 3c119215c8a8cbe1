#pragma once
// The addresses of waiting functions in libc, libdispatch and Swift's runtime.

#include "CReportParts/images.h"
#include "futex_waits.h"
#include "stack/unwind.h"

#pragma GCC visibility push(hidden)

/// Finds them in the libraries that the process has. Not for handlers: called at install.
void ck_wait_functions_prepare(const crp_images *images);

/// What the function waits for in which a stack waits, by the frames; TERM_WAIT_NONE if it is none of these.
/// Async-signal-safe.
term_wait ck_wait_function_of(const ck_stack *stack);

#pragma GCC visibility pop
