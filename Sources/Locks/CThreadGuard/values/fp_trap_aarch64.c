// The trap of the invalid-operation exception. Many processors lack it: then the bit reads as zero after it was set.
// User space cannot step over an instruction, so after the first NaN the thread continues without the trap.

#ifdef __aarch64__

#include <signal.h>
#include <stddef.h>

#include "nan_trap.h"
#include "values/fp_trap.h"

#ifdef THREADGUARD

#define INVALID_TRAP 0x100ull

static uint64_t control(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}

bool ctg_fp_is_set(void) { return control() & INVALID_TRAP; }

bool ctg_fp_set(bool set) {
  uint64_t value = set ? control() | INVALID_TRAP : control() & ~INVALID_TRAP;
  __asm__ volatile("msr fpcr, %0\n isb" ::"r"(value));
  return ctg_fp_is_set() == set;
}

static struct fpsimd_context *saved(const ucontext_t *context) {
  struct _aarch64_ctx *head = (struct _aarch64_ctx *)context->uc_mcontext.__reserved;
  const unsigned char *end = context->uc_mcontext.__reserved + sizeof context->uc_mcontext.__reserved;
  while ((const unsigned char *)(head + 1) <= end && head->magic && head->size >= sizeof *head) {
    if (head->magic == FPSIMD_MAGIC) return (struct fpsimd_context *)head;
    head = (struct _aarch64_ctx *)((unsigned char *)head + head->size);
  }
  return NULL;
}

bool ctg_fp_is_set_in(const ucontext_t *context) {
  const struct fpsimd_context *registers = saved(context);
  return registers && registers->fpcr & INVALID_TRAP;
}

void ctg_fp_set_in(ucontext_t *context, bool set) {
  struct fpsimd_context *registers = saved(context);
  if (!registers) return;
  registers->fpcr = set ? registers->fpcr | INVALID_TRAP : registers->fpcr & ~(unsigned)INVALID_TRAP;
}

bool ctg_fp_can_step(void) { return false; }

void ctg_fp_step(ucontext_t *context, bool step) {
  (void)context;
  (void)step;
}

uintptr_t ctg_fp_program_counter(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.pc; }

void ctg_fp_decode(const ucontext_t *context, struct ctg_nan *nan) {
  (void)context;
  nan->operation = CTG_NAN_UNKNOWN;
  nan->operand_count = 0;
  nan->nature = CTG_NAN_BORN;
}

#endif
#endif
