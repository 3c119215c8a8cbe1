// The SSE unit's invalid-operation exception. The x87 unit, which Float80 and C's long double use, keeps it masked: it
// signals an invalid operation only at its next instruction.

#ifdef __x86_64__

#include <xmmintrin.h>

#include "values/fp_trap.h"

#ifdef THREADGUARD

#define INVALID_MASK 0x80u
#define TRAP_FLAG 0x100

bool ctg_fp_is_set(void) { return !(_mm_getcsr() & INVALID_MASK); }

bool ctg_fp_set(bool set) {
  unsigned now = _mm_getcsr();
  _mm_setcsr(set ? now & ~INVALID_MASK : now | INVALID_MASK);
  return true;
}

// The kernel restores this word from here whichever of the wider registers it also restores.
bool ctg_fp_is_set_in(const ucontext_t *context) {
  return context->uc_mcontext.fpregs && !(context->uc_mcontext.fpregs->mxcsr & INVALID_MASK);
}

void ctg_fp_set_in(ucontext_t *context, bool set) {
  if (!context->uc_mcontext.fpregs) return;
  unsigned *word = &context->uc_mcontext.fpregs->mxcsr;
  *word = set ? *word & ~INVALID_MASK : *word | INVALID_MASK;
}

bool ctg_fp_can_step(void) { return true; }

void ctg_fp_step(ucontext_t *context, bool step) {
  greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];
  *flags = step ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

uintptr_t ctg_fp_program_counter(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_RIP]; }

#endif
#endif
