// aarch64: registers, faults and jumps. Calls nothing but cgr_memory_read, and getauxval, which reads memory.
#if defined(__aarch64__)

#include "CGround/memory.h"
#include "processor/registers.h"

#include <asm/sigcontext.h>
#include <sys/auxv.h>

void ck_registers_read(ck_registers *out, const ucontext_t *context) {
  const mcontext_t *m = &context->uc_mcontext;
  for (int i = 0; i < 31; ++i) out->values[i] = m->regs[i];
  out->values[CK_REGISTER_SP] = m->sp;
  out->values[CK_REGISTER_PC] = m->pc;
  out->values[33] = m->pstate;
}

// The exception syndrome follows the registers as a tagged record: Linux arch/arm64/include/uapi/asm/sigcontext.h.
ck_access ck_access_of_fault(const ucontext_t *context) {
  const uint8_t *at = (const uint8_t *)context->uc_mcontext.__reserved;
  const uint8_t *end = at + sizeof context->uc_mcontext.__reserved;
  while (at + sizeof(struct _aarch64_ctx) <= end) {
    const struct _aarch64_ctx *head = (const struct _aarch64_ctx *)at;
    if (head->magic == 0 || head->size < sizeof *head) break;
    if (head->magic == ESR_MAGIC) {
      uint64_t esr = ((const struct esr_context *)head)->esr;
      uint32_t class = esr >> 26 & 0x3f;
      bool fetch = class == 0x20 || class == 0x21;
      bool data = class == 0x24 || class == 0x25;
      return (ck_access){.known = fetch || data, .write = data && (esr >> 6 & 1), .fetch = fetch};
    }
    at += head->size;
  }
  return (ck_access){.known = false};
}

// libc registers no trampoline: the kernel's lies in the vDSO, as mov x8, #139 (rt_sigreturn); svc #0.
#define VDSO_BYTES_MAX (16 * 1024)
uint64_t ck_signal_return(void) {
  uint64_t start = getauxval(AT_SYSINFO_EHDR);
  uint32_t code[128];
  for (uint64_t offset = 0; start != 0 && offset < VDSO_BYTES_MAX; offset += sizeof code - 4) {
    uint64_t got = cgr_memory_read(start + offset, code, sizeof code);
    for (uint64_t i = 0; i + 1 < got / 4; ++i)
      if (code[i] == 0xd2801168 && code[i + 1] == 0xd4000001) return start + offset + 4 * i;
    if (got < sizeof code) break;
  }
  return 0;
}

ck_instruction ck_instruction_at(uint64_t pc) {
  uint32_t code = 0;
  if (cgr_memory_read(pc, &code, 4) < 4) return CK_INSTRUCTION_OTHER;
  return (code & 0xffe0001f) == 0xd4200000 ? CK_INSTRUCTION_TRAP : CK_INSTRUCTION_OTHER;  // brk
}

bool ck_interrupted_system_call(uint64_t pc) {
  uint32_t code[2] = {0};
  if (cgr_memory_read(pc - 4, code, 8) < 8) return false;
  return (code[0] & 0xffe0001f) == 0xd4000001 || (code[1] & 0xffe0001f) == 0xd4000001;  // svc
}

// Stepping is the kernel's and a debugger's alone here.
bool ck_can_step(const ucontext_t *context) {
  (void)context;
  return false;
}

void ck_context_step(ucontext_t *context, bool on) {
  (void)context;
  (void)on;
}

// Only the kernel switches the check of alignments.
void ck_processor_reset(void) {}

void ck_context_set_result(ucontext_t *context, long result) { context->uc_mcontext.regs[0] = (uint64_t)result; }

__attribute__((naked, noinline)) int ck_jump_set(struct ck_jump *jump) {
  __asm__ volatile(
      "stp x19, x20, [x0, #0]\n"
      "stp x21, x22, [x0, #16]\n"
      "stp x23, x24, [x0, #32]\n"
      "stp x25, x26, [x0, #48]\n"
      "stp x27, x28, [x0, #64]\n"
      "stp x29, x30, [x0, #80]\n"
      "mov x9, sp\n"
      "str x9, [x0, #96]\n"
      "stp d8, d9, [x0, #104]\n"
      "stp d10, d11, [x0, #120]\n"
      "stp d12, d13, [x0, #136]\n"
      "stp d14, d15, [x0, #152]\n"
      "mov w0, #0\n"
      "ret\n");
}

__attribute__((naked, noreturn, noinline)) void ck_jump_to(struct ck_jump *jump) {
  __asm__ volatile(
      "ldp x19, x20, [x0, #0]\n"
      "ldp x21, x22, [x0, #16]\n"
      "ldp x23, x24, [x0, #32]\n"
      "ldp x25, x26, [x0, #48]\n"
      "ldp x27, x28, [x0, #64]\n"
      "ldp x29, x30, [x0, #80]\n"
      "ldr x9, [x0, #96]\n"
      "mov sp, x9\n"
      "ldp d8, d9, [x0, #104]\n"
      "ldp d10, d11, [x0, #120]\n"
      "ldp d12, d13, [x0, #136]\n"
      "ldp d14, d15, [x0, #152]\n"
      "mov w0, #1\n"
      "ret\n");
}

// Where a branch was to lead, for the check of branch targets: none is under way.
#define BRANCH_TYPE 0xc00ull

void ck_context_jump(ucontext_t *context, struct ck_jump *jump) {
  context->uc_mcontext.pc = (uintptr_t)ck_jump_to;
  context->uc_mcontext.regs[0] = (uintptr_t)jump;
  context->uc_mcontext.pstate &= ~BRANCH_TYPE;
}

#endif
