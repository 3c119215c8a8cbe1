#pragma once
// The kernel's information about one thread, stopped or not.

#include <ucontext.h>

#include "threads/threads.h"

#pragma GCC visibility push(hidden)

/// Name, state and signal mask, from outside. Async-signal-safe.
void ck_thread_read_status(ck_thread *thread);
/// The calling thread's name. Async-signal-safe.
void ck_thread_read_own_name(char name[16], uint8_t *size);

/// Whether a thread that has not stopped has ended since it was found; it is then left out. The main thread is never
/// gone: it stays, as a zombie, as long as the process. Async-signal-safe.
bool ck_thread_is_gone(ck_thread *thread);

/// Program counter and stack pointer of a thread that did not stop but is blocked in the kernel. Async-signal-safe.
bool ck_thread_read_syscall(ck_thread *thread);

/// The thread pointer of a thread of this process: by it, the thread's local variables are found. 0 if libc is none
/// that keeps it as glibc does. Async-signal-safe.
uintptr_t ck_thread_pointer(int tid);

/// Whether the thread that a handler's context is of has no alternate signal stack. Async-signal-safe.
bool ck_has_no_alternate_stack(const ucontext_t *context);

#pragma GCC visibility pop
