#pragma once
// The mask with which a handler of the program runs: the kernel's mask, and the mask that the program sees.

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "handler_places.h"
#include "process_masks.h"

#pragma GCC visibility push(hidden)

typedef struct cph_handler_mask {
  uint64_t kernels;             // for the kernel, while the handler runs
  uint64_t interrupted, given;  // the mask of the interrupted place, as the kernel had it and as the handler finds it
  cph_mask_scopes outer;        // of the interrupted place
} cph_handler_mask;

/// Begins the scope of a handler of `signal` that was set with these flags and this mask. For the kernel, the signals
/// of faults stay open. Also sets the place's mark, and in `context` the mask that the program sees there.
/// Async-signal-safe.
cph_handler_mask cph_handler_mask_begin(cph_handler_place *place, ucontext_t *context, int signal, int flags,
                                        uint64_t blocks);

/// Gives the kernel the handler's mask, on the handler's stack. Returns the kernel's mask of before. Async-signal-safe.
uint64_t cph_handler_mask_enter(const cph_handler_mask *mask, const cph_handler_place *place);

/// Ends the scope behind the handler, and gives the context the mask that the kernel is to have there: the handler may
/// have blocked or opened signals in it. To be called with all signals blocked. Async-signal-safe.
void cph_handler_mask_leave(const cph_handler_mask *mask, ucontext_t *context);

#pragma GCC visibility pop
