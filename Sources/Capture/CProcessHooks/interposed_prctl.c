// Interposed prctl.

#include "call_filters.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#include "CGround/clock.h"
#include "call_dispatch.h"
#include "real_functions.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

#define EXPORT __attribute__((visibility("default")))

static _Atomic bool may_be_filtered;

bool cph_calls_may_be_filtered(void) { return atomic_load_explicit(&may_be_filtered, memory_order_relaxed); }

EXPORT int prctl(int option, ...) {
  unsigned long arguments[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; ++i) arguments[i] = va_arg(list, unsigned long);
  va_end(list);
  cph_real_functions_find();
  int result = cph_real_prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
  bool filters = option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP;
  if (filters && result == 0) atomic_store_explicit(&may_be_filtered, true, memory_order_relaxed);
  if (option == PR_SET_TSC && arguments[0] == PR_TSC_SIGSEGV && result == 0) cgr_clock_asks_kernel = true;
  if (option == PR_SET_SYSCALL_USER_DISPATCH && result == 0)
    cph_note_dispatch(arguments[0] == PR_SYS_DISPATCH_ON ? (volatile uint8_t *)arguments[3] : NULL);
  return result;
}
