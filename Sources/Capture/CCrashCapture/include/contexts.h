#pragma once
// Contexts: the current work of a task, such as one request, with keys and values. Their memory is reserved, so that a
// handler can read them.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "breadcrumbs.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CK_CONTEXTS_MAX = 4096,
  CK_CONTEXT_NAME_MAX = 128,  // bytes; longer names are cut at a whole UTF-8 character and end in "…"
};

/// Opens a context; `trace` may be NULL. Returns its number; 0 if CK_CONTEXTS_MAX are open, and then it is only
/// counted. Takes no lock and does not allocate. Each open is followed by one ck_context_close.
uint32_t ck_context_open(const char *name, size_t name_length, const ck_crumb_attributes *attributes,
                         const ck_trace *trace);
/// Closes what ck_context_open returned, 0 included.
void ck_context_close(uint32_t number);

/// Makes a context that of the calling thread while it runs no task; 0: none. Returns the one before.
uint32_t ck_context_enter_thread(uint32_t number);

/// Sets where tasks keep their context: under this key among their task-local values, as a reference to an object
/// whose third word begins with the number.
void ck_context_set_key(const void *key);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
