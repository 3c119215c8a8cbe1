#pragma once
// The mask with which a handler of the program runs, as the kernel has it and as the program sees it.

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "handler_places.h"
#include "process_masks.h"

#pragma GCC visibility push(hidden)

typedef struct cph_handler_mask {
  uint64_t kernels;       // for the kernel, while the handler runs
  uint64_t shown_before;  // what the interrupted place sees as blocked, though it is open
  cph_mask_scope outer;   // for cph_mask_scope_end, behind the handler
} cph_handler_mask;

/// Begins the scope of a handler of `signal` that was set with these flags and this mask. For the kernel, the signals
/// of faults stay open. Also sets the place's mark. Async-signal-safe.
cph_handler_mask cph_handler_mask_begin(cph_handler_place *place, const ucontext_t *context, int signal, int flags,
                                        uint64_t blocks);

#pragma GCC visibility pop
