#pragma once
// The object for which a blocked thread waits, found by its system call and by the function that made the call.

#include <stdbool.h>

#include "threads/threads.h"

#pragma GCC visibility push(hidden)

/// Finds the functions that wait, of libc, libdispatch and Swift's runtime. Not for handlers: called at install.
void ck_waits_prepare(const crp_images *images);

/// Fills the thread's `wait`, from its registers, its stack and memory. Its stack has been unwound. Async-signal-safe:
/// reads that cannot fault.
void ck_thread_read_wait(ck_thread *thread);

#pragma GCC visibility pop
