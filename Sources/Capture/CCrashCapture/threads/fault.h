#pragma once
// A fault, or another handled signal, with the kernel's information about it.

#include <signal.h>
#include <stdbool.h>

#include "processor/operand.h"
#include "processor/registers.h"

#pragma GCC visibility push(hidden)

/// What was left for the report of one death before its signal came.
typedef struct ck_last_signs {
  uint32_t stop;  // why the guard of allocations refused a release (CRV_STOP_NONE: it refused none)
  uint64_t stop_address;
  // The texts of an earlier death, which a handler of the program has left by a jump: of Swift, of libc, and by their
  // turn what a runtime printed.
  uint64_t old_swift_message, old_libc_message;
  uint32_t old_words;
} ck_last_signs;

/// What a cause is found from.
typedef struct ck_fault {
  int signal;
  siginfo_t info;
  ucontext_t *context;
  ck_registers registers;
  bool has_address;
  uint64_t address;
  bool has_sender;
  ck_last_signs signs;  // none, unless the report is of this fault
} ck_fault;

/// Fills `fault` from what a handler was given. Async-signal-safe.
void ck_fault_read(ck_fault *fault, int signal, const siginfo_t *info, ucontext_t *context);

/// Whether the thread faulted by jumping to where no code can run. Async-signal-safe.
bool ck_fault_is_bad_jump(const ck_fault *fault);

/// How the fault's address was used. Async-signal-safe.
ck_access ck_fault_access(const ck_fault *fault);

#pragma GCC visibility pop
