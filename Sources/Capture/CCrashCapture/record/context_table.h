#pragma once
// Reading contexts in a handler.

#include <stdatomic.h>

#include "contexts.h"

#pragma GCC visibility push(hidden)

typedef struct ck_context {
  size_t name_length;
  char name[CK_CONTEXT_NAME_MAX];
  ck_crumb_attributes attributes;
  bool has_trace;
  ck_trace trace;
} ck_context;

/// The key of ck_context_set_key; 0 as long as no context was opened.
extern _Atomic uint64_t ck_context_key;

/// Copies the context with a number, even if it is closed. Returns false if another context has its place.
/// Async-signal-safe.
bool ck_context_read(uint64_t number, ck_context *context);
/// The number of the context that the thread with this thread pointer is in, outside of tasks; 0 for none.
/// Async-signal-safe: a read that cannot fault.
uint32_t ck_context_of_thread(uintptr_t thread_pointer);
/// Whether contexts are open that found no room. Async-signal-safe.
bool ck_contexts_overflow(void);

#pragma GCC visibility pop
