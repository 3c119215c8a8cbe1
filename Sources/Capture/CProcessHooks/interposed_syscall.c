// Interposed syscall. libc has no other function for seccomp(2).

#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "real_functions.h"
#include "seen_filters.h"

typedef long six_arguments(long number, long a, long b, long c, long d, long e, long f);

static bool is_set(long result, long flags) {
  // With this flag alone, a positive result is a thread that could not take the filter.
  bool may_fail_with_thread = flags & SECCOMP_FILTER_FLAG_TSYNC && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER);
  return result == 0 || (result > 0 && !may_fail_with_thread);
}

static long set_filter(six_arguments *real, long operation, long flags, long rules) {
  unsigned long mode = operation == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT : SECCOMP_MODE_FILTER;
  cph_coming_filter filter;
  cph_filter_comes(&filter, mode, (unsigned long)flags, (const void *)rules);
  long result = real(SYS_seccomp, operation, flags, rules, 0, 0, 0);
  if (is_set(result, flags)) cph_filter_is_set(&filter);
  return result;
}

// libc's own takes as many arguments as the call has; the rest is what lies there. It is jumped to, so that no stack
// has a frame of ours.
__attribute__((visibility("default"))) long cph_syscall(long number, long a, long b, long c, long d, long e,
                                                        long f) __asm__("syscall");
long cph_syscall(long number, long a, long b, long c, long d, long e, long f) {
  cph_real_functions_find();
  six_arguments *real = (six_arguments *)cph_real_syscall;
  if (number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
    return set_filter(real, a, b, c);
  __attribute__((musttail)) return real(number, a, b, c, d, e, f);
}
