#pragma once
// Swift's async functions on a stack, and the callers that wait for them. Async-signal-safe, under a guard.

#include <stdbool.h>
#include <stdint.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

/// Where the function that holds `pc` starts, if it is a Swift async function: its frame then keeps its async context
/// in the word below the saved frame pointer. 0 for any other.
uint64_t ck_swift_async_function_start(const crp_images *images, uint64_t pc);

/// Finds the runtime's function that calls into tasks. Not for handlers: called at install, after the images are known.
void ck_swift_async_prepare(const crp_images *images);

/// Where the runtime runs a job of a pool; 0 if the program had no Swift tasks at install.
uint64_t ck_swift_job_function(void);

/// Whether `pc` lies in the function of the runtime that calls into tasks: what it called is an async function, whether
/// that has a frame of its own or, without frame pointers, keeps its context in a register only.
bool ck_swift_calls_tasks(const crp_images *images, uint64_t pc);

/// `context` where the chain from there ends as a task's chain does, else 0: for a register that may hold anything.
uint64_t ck_checked_async_context(const crp_images *images, uint64_t context);

/// A walk over the async contexts of a task, from an async function's own one outwards.
typedef struct ck_continuations {
  uint64_t context;  // where it starts; then the next one, 0 behind the last and 1 where they go round
  uint64_t mark;     // one seen before: meeting it again means a loop
  uint32_t seen;
  struct ck_page_cache *pages;  // NULL: each context is read by a call of its own
} ck_continuations;

/// Where the next waiting caller goes on; false at the end of the chain, if it is damaged, and if it is too long.
bool ck_next_continuation(const crp_images *images, ck_continuations *at, uint64_t *resume_address);

#pragma GCC visibility pop
