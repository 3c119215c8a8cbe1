#pragma once
// The floating-point trap of each processor, one file for each. All of it is async-signal-safe.

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

struct ctg_nan;

/// Sets or unsets the trap for the calling thread; returns whether it is now as wanted.
bool ctg_fp_set(bool set);
bool ctg_fp_is_set(void);

/// The same for the thread that the context is restored to.
void ctg_fp_set_in(ucontext_t *context, bool set);
bool ctg_fp_is_set_in(const ucontext_t *context);

/// Whether a single instruction can be carried out, and another signal sent after it.
bool ctg_fp_can_step(void);
void ctg_fp_step(ucontext_t *context, bool step);

uintptr_t ctg_fp_program_counter(const ucontext_t *context);

/// What the instruction at the program counter does to which operands.
void ctg_fp_decode(const ucontext_t *context, struct ctg_nan *nan);

#pragma GCC visibility pop
