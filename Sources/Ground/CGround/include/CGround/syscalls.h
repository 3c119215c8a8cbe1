#pragma once
// System calls without libc: no errno, no cancellation point, no symbol that the loader would have to bind.
// Everything here is async-signal-safe. Each call returns what the kernel returned: a result, or -errno. Calls that a
// filter of the program bars return -EPERM, and do not reach the kernel (barred_calls.h).
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "CGround/barred_calls.h"

#if defined(__x86_64__)
#include "CGround/syscalls_x86_64.h"
#elif defined(__aarch64__)
#include "CGround/syscalls_aarch64.h"
#else
#error "CrashKit knows the system calls of x86_64 and aarch64 only"
#endif

static inline long cgr_syscall6(long number, long a, long b, long c, long d, long e, long f) {
  bool is_filtered = atomic_load_explicit(&cgr_filtered_threads, memory_order_relaxed) != CGR_FILTERS_NOBODY;
  if (__builtin_expect(is_filtered, 0) && cgr_call_is_barred(number)) return -EPERM;
  return cgr_kernel_call(number, a, b, c, d, e, f);
}

#define cgr_syscall0(n) cgr_syscall6((n), 0, 0, 0, 0, 0, 0)
#define cgr_syscall1(n, a) cgr_syscall6((n), (long)(a), 0, 0, 0, 0, 0)
#define cgr_syscall2(n, a, b) cgr_syscall6((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define cgr_syscall3(n, a, b, c) cgr_syscall6((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define cgr_syscall4(n, a, b, c, d) cgr_syscall6((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define cgr_syscall5(n, a, b, c, d, e) cgr_syscall6((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

/// Whether a pointer-sized result (mmap, mremap) is an error.
static inline int cgr_syscall_failed(long result) { return (unsigned long)result >= (unsigned long)-4095L; }
