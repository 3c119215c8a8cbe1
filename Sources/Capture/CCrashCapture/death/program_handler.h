#pragma once
// The program's own handlers, which run first. Async-signal-safe if these handlers are.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "CProcessHooks.h"
#include "threads/fault.h"

#pragma GCC visibility push(hidden)

/// One call of a handler of the program, while it lasts. A handler may also jump away: the record counts only while
/// its place is live.
typedef struct ck_handler_call {
  uint64_t magic;
  struct ck_handler_call *outer;
  int signal;
  siginfo_t *info;
  ucontext_t *context;
  const ck_last_signs *signs;
  long process;  // a child that is forked in the handler has this record too, and not the fault
  cph_handler_place place;
} ck_handler_call;

/// The outermost handler of the program that the calling thread is inside of, if its stack pointer is this and the
/// kernel's mask is that; NULL if it is in none. It does not count a handler that the parent was in at a fork.
const ck_handler_call *ck_outermost_handler(uintptr_t stack_pointer, uint64_t mask);

/// Whether the calling thread may be inside a handler of the program. Makes no system call: a filter may kill for it.
bool ck_handler_was_entered(void);

/// Whether an action calls a handler of the program, and not the Swift runtime's backtracer, which runs behind us.
bool ck_is_program_handler(const struct sigaction *action);

/// Whether a handler is to run at all: not where the kernel would have killed instead (a fault of a kind that is
/// blocked), and not where handlers have nested until their stack is nearly used up.
bool ck_handler_may_run(int signal, const siginfo_t *info, const ucontext_t *context);

/// For a signal that was sent while a handler believes it to be blocked, or that has a handler and came while CrashKit
/// goes to or comes from another one: puts it back, blocked in earnest, until the program's mask has it open. True if
/// that was the case.
bool ck_handler_holds(int signal, const siginfo_t *info, ucontext_t *context);

typedef enum ck_handler_outcome {
  CK_HANDLER_LIVES_ON,  // it repaired the fault, or the signal was none
  CK_HANDLER_DIES,
  CK_HANDLER_HAS_NO_ROOM,  // the kernel could not have called it, and would have sent SIGSEGV instead
} ck_handler_outcome;

/// Runs the program's handler as the kernel would have: its mask, its flags. `signs` are those of the signal.
ck_handler_outcome ck_run_program_handler(int signal, siginfo_t *info, ucontext_t *context,
                                          const struct sigaction *action, const ck_last_signs *signs);

/// Ends a step over a repaired instruction, if one is being made, and gives the context its own mask back. True if the
/// signal is the end of the step, and no signal of the program's. Called first for each signal. Async-signal-safe.
bool ck_end_own_step(int signal, const siginfo_t *info, ucontext_t *context);

#pragma GCC visibility pop
