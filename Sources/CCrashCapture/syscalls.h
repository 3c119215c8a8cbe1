#pragma once
// System calls without libc: no errno, no cancellation point, no lazily bound symbol.
// Async-signal-safe. Each returns what the kernel returned: a value, or -errno.

#if defined(__x86_64__)
#include "syscalls_x86_64.h"
#elif defined(__aarch64__)
#include "syscalls_aarch64.h"
#else
#error "CCrashCapture has system calls for x86-64 and aarch64 only"
#endif

#include <sys/syscall.h>

#define ck_syscall0(n) ck_syscall6((n), 0, 0, 0, 0, 0, 0)
#define ck_syscall1(n, a) ck_syscall6((n), (long)(a), 0, 0, 0, 0, 0)
#define ck_syscall2(n, a, b) ck_syscall6((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define ck_syscall3(n, a, b, c) ck_syscall6((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define ck_syscall4(n, a, b, c, d) ck_syscall6((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define ck_syscall5(n, a, b, c, d, e) \
  ck_syscall6((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
