#pragma once
// Threads whose system calls arrive as SIGSYS while a byte of the program is set. Emulators run foreign code this way:
// PR_SET_SYSCALL_USER_DISPATCH (Documentation/admin-guide/syscall-user-dispatch.rst of the kernel). If a handler of
// CrashKit made a system call meanwhile, the program would answer it instead of the kernel.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What that byte lets through, and what it sends back.
#define CPH_DISPATCH_ALLOW 0
#define CPH_DISPATCH_BLOCK 1

/// Notes what a thread has asked prctl for, which it was granted: its byte, NULL to end it. A program that asks by a
/// system call of its own is not seen.
void cph_note_dispatch(volatile uint8_t *selector);

/// Whether any thread of the process has such a byte. Async-signal-safe.
bool cph_calls_may_be_dispatched(void);

/// The calling thread's byte if its calls come back now, else NULL. Makes no system call. Async-signal-safe.
volatile uint8_t *cph_blocking_selector(void);

#pragma GCC visibility pop
