#pragma once
// The registers of a stopped or crashed thread, in DWARF order so that an unwinder's number is an index.

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include "processor/register_numbers_x86_64.h"
#elif defined(__aarch64__)
#include "processor/register_numbers_aarch64.h"
#else
#error "CCrashCapture knows the registers of x86-64 and aarch64 only"
#endif

#pragma GCC visibility push(hidden)

typedef struct ck_registers {
  uint64_t values[CK_REGISTER_COUNT];
} ck_registers;

/// Fills `out` from the context a signal handler was given. Async-signal-safe.
void ck_registers_read(ck_registers *out, const ucontext_t *context);

/// Why the processor faulted, where it says so. Async-signal-safe.
typedef struct ck_access {
  bool known;
  bool write;
  bool fetch;
} ck_access;
ck_access ck_access_of_fault(const ucontext_t *context);

/// What the instruction at `pc` is, as far as a cause needs it. Async-signal-safe: reads through cgr_memory_read.
typedef enum { CK_INSTRUCTION_OTHER, CK_INSTRUCTION_TRAP, CK_INSTRUCTION_PRIVILEGED } ck_instruction;
ck_instruction ck_instruction_at(uint64_t pc);

/// Whether a thread interrupted at `pc` was in the kernel: a system call instruction lies right behind it, with its
/// result there, or at it, to be made again. Async-signal-safe, as above.
bool ck_interrupted_system_call(uint64_t pc);

/// Whether a thread can be made to stop behind its next instruction: it then gets SIGTRAP with the code TRAP_TRACE.
/// Async-signal-safe.
bool ck_can_step(const ucontext_t *context);
/// Switches that on or off for the thread that returns to `context`. Async-signal-safe.
void ck_context_step(ucontext_t *context, bool on);

/// Where handlers return to: the frame outside it was interrupted rather than calling. 0 if that is not known. Called
/// once a handler for SIGSEGV is in place. Async-signal-safe.
uint64_t ck_signal_return(void);

/// Switches off what an interrupted program may have asked of the processor and a handler cannot live with: the check
/// of alignments. The return to the context switches it on again. Async-signal-safe.
void ck_processor_reset(void);

/// Makes the system call that a thread is returning from end with an error, as the kernel would. Async-signal-safe.
void ck_context_set_result(ucontext_t *context, long result);

/// A jump target kept by ck_jump_set; ck_jump_to returns there, on the stack of that time, with 1.
/// Both leave the signal mask alone. Async-signal-safe.
struct ck_jump {
  uint64_t saved[CK_JUMP_WORDS];
};
int ck_jump_set(struct ck_jump *jump) __attribute__((returns_twice));
void ck_jump_to(struct ck_jump *jump) __attribute__((noreturn));
/// The same once a handler returns to the context, with the signal mask of that. Async-signal-safe.
void ck_context_jump(ucontext_t *context, struct ck_jump *jump);

#pragma GCC visibility pop
