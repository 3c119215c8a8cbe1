#pragma once
// Threads with their own thread pointer, as in emulators and some runtimes. On such a thread, an access to a
// thread-local variable of libc or CrashKit hits foreign memory or faults. The program's own handlers expect this.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Reads what the processor can do. Called once, at install.
void cph_foreign_threads_prepare(void);

/// Whether the calling thread is such a one. A handler of `signal` asks before it touches any thread-local word. False
/// if that cannot be known: on x86-64 without FSGSBASE (Linux before 5.9), for a filter may kill for the system call
/// that tells the thread pointer; on aarch64, where libc leaves no mark, for all but a null pointer. Async-signal-safe.
bool cph_thread_is_foreign(int signal);

/// Whether a signal is the answer of a filter to the system call that cph_thread_is_foreign makes: then the call has an
/// error, and the handler returns. Async-signal-safe; touches no thread-local word.
bool cph_foreign_question_is_refused(const siginfo_t *info, ucontext_t *context);

typedef struct cph_foreign_handler {
  void (*function)(int, siginfo_t *, void *);
  int flags;
  uint64_t mask;
  volatile uint8_t *selector;  // set to CPH_DISPATCH_BLOCK before it runs, behind the last system call; may be NULL
} cph_foreign_handler;

/// Runs a handler of the program there, or on a thread whose system calls come back, on the stack and with the mask
/// that the kernel would have given it. Async-signal-safe.
void cph_run_on_foreign_thread(int signal, siginfo_t *info, ucontext_t *context, const cph_foreign_handler *handler);

/// Dies there of the signal as the program would have, without a report: at the return from the handler.
/// Async-signal-safe.
void cph_die_on_foreign_thread(int signal, const siginfo_t *info, ucontext_t *context);

#pragma GCC visibility pop
