// Calling the program's handlers of signals that are no faults. System calls only, besides the handlers.

#include "other_handlers.h"

#include <stdbool.h>

#include "call_dispatch.h"
#include "foreign_threads.h"
#include "handler_masks.h"
#include "handler_places.h"
#include "wait_masks.h"
#include "CGround/syscalls.h"

typedef struct other_call {
  cph_handler_function handler;
  int signal;
  const cph_handler_place *place;
  cph_handler_mask mask;
} other_call;

// The thread may be another one than before the handler, and `argument` gone.
static void call_other(void *argument, siginfo_t *info, ucontext_t *context) {
  const other_call call = *(const other_call *)argument;
  uint64_t ours = cph_handler_mask_enter(&call.mask, call.place), all = ~0ull;
  call.handler(call.signal, info, context);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
  cph_handler_mask_leave(&call.mask, context);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &ours, NULL, 8);
  cph_handler_place_leave_alternate(context);
}

void cph_run_other_handler(int signal, siginfo_t *info, ucontext_t *context, const cph_other_handler *handler) {
  int flags = handler->flags;
  bool is_foreign = cph_thread_is_foreign(signal);
  volatile uint8_t *selector = is_foreign ? NULL : cph_blocking_selector();
  if (selector) *selector = CPH_DISPATCH_ALLOW;
  if (is_foreign || selector) {
    cph_foreign_handler foreign = {handler->function, flags, handler->mask, selector};
    return cph_run_on_foreign_thread(signal, info, context, &foreign);
  }
  cph_handler_place place;
  cph_place_found found = cph_handler_place_find(&place, info, context, flags);
  // The kernel would have sent SIGSEGV, and so it does now.
  if (found == CPH_PLACE_UNREACHABLE && place.touched) *(volatile char *)place.touched = 0;
  // No signal is lost for want of a better place.
  if (found != CPH_PLACE_FOUND) cph_handler_place_here(&place, context);

  cph_handler_mask mask = cph_handler_mask_begin(&place, context, signal, flags, handler->mask);
  other_call call = {handler->function, signal, &place, mask};
  cph_handler_place_call(&place, info, context, call_other, &call);
}

// The thread may be another one behind the handler. A return from it puts back the alternate stack of before.
void cph_run_plain_handler(int signal, siginfo_t *info, ucontext_t *context, cph_handler_function handler) {
  if (cph_thread_is_foreign(signal) || cph_blocking_selector()) return handler(signal, info, context);
  cph_wait_mask_take(signal, context);
  cph_plain_stacks stacks = cph_handler_place_enter_plain(context);
  handler(signal, info, context);
  cph_handler_place_leave_plain(context, &stacks);
}
