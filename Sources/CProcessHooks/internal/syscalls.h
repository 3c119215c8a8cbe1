#pragma once
// System calls without libc: no errno, no cancellation point, no symbol that the loader would have to bind.
// Everything here is async-signal-safe. Each call returns what the kernel returned: a result, or -errno.
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#include "syscalls_x86_64.h"
#elif defined(__aarch64__)
#include "syscalls_aarch64.h"
#else
#error "CrashKit knows the system calls of x86_64 and aarch64 only"
#endif

static inline long ck_syscall0(long number) { return ck_syscall6(number, 0, 0, 0, 0, 0, 0); }
static inline long ck_syscall1(long number, long a) { return ck_syscall6(number, a, 0, 0, 0, 0, 0); }
static inline long ck_syscall2(long number, long a, long b) { return ck_syscall6(number, a, b, 0, 0, 0, 0); }
static inline long ck_syscall3(long number, long a, long b, long c) { return ck_syscall6(number, a, b, c, 0, 0, 0); }
static inline long ck_syscall4(long number, long a, long b, long c, long d) {
  return ck_syscall6(number, a, b, c, d, 0, 0);
}
static inline long ck_syscall5(long number, long a, long b, long c, long d, long e) {
  return ck_syscall6(number, a, b, c, d, e, 0);
}

/// Whether a pointer-sized result (mmap, mremap) is an error.
static inline int ck_syscall_failed(long result) { return (unsigned long)result >= (unsigned long)-4095L; }
