#pragma once
// The mask in force while a call waits with a mask of its own. A handler that comes meanwhile begins with it, but finds
// in its context the mask of outside, which its return puts back.

#include <stdint.h>
#include <ucontext.h>

#include "process_masks.h"

#pragma GCC visibility push(hidden)

/// A call of an interposed function that waits.
typedef struct cph_wait_mask {
  uint64_t mask;                   // that the kernel is given
  uintptr_t frame;                 // of the interposed function; 0 for no call
  const cph_mask_scopes *outside;  // what counts outside the wait, if the wait has a scope; or else NULL
} cph_wait_mask;

/// Notes the call that the thread is about to make. Returns what was noted before, for cph_wait_mask_end.
/// Async-signal-safe.
cph_wait_mask cph_wait_mask_begin(cph_wait_mask call);
void cph_wait_mask_end(cph_wait_mask before);

/// The wait that `signal` broke off; or else one with the context's mask and no more, which is in force then. No later
/// signal breaks off the same wait, so each handler has to ask. Async-signal-safe.
cph_wait_mask cph_wait_mask_take(int signal, const ucontext_t *context);

#pragma GCC visibility pop
