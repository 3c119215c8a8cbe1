// Interposed prctl.

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "CGround/clock.h"
#include "call_dispatch.h"
#include "real_functions.h"
#include "seen_filters.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

#define EXPORT __attribute__((visibility("default")))

int cph_prctl(int option, const unsigned long arguments[4]) {
  cph_coming_filter filter;
  if (option == PR_SET_SECCOMP) cph_filter_comes(&filter, arguments[0], 0, (const void *)arguments[1]);
  int result = cph_real_prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
  if (option == PR_SET_SECCOMP) cph_filter_came(&filter, result == 0);
  if (result != 0) return result;
  if (option == PR_SET_NO_NEW_PRIVS) cph_note_that_calls_may_be_filtered();
  if (option == PR_SET_TSC && arguments[0] == PR_TSC_SIGSEGV) cgr_clock_asks_kernel = true;
  if (option == PR_SET_SYSCALL_USER_DISPATCH)
    cph_note_dispatch(arguments[0] == PR_SYS_DISPATCH_ON ? (volatile uint8_t *)arguments[3] : NULL);
  return result;
}

EXPORT int prctl(int option, ...) {
  unsigned long arguments[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; ++i) arguments[i] = va_arg(list, unsigned long);
  va_end(list);
  cph_real_functions_find();
  return cph_prctl(option, arguments);
}
