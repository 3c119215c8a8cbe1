// x86-64: registers, faults and jumps. Calls nothing but cgr_memory_read and rt_sigaction.
#if defined(__x86_64__)

#include <signal.h>

#include "CGround/kernel_action.h"
#include "CGround/memory.h"
#include "processor/registers.h"

void ck_registers_read(ck_registers *out, const ucontext_t *context) {
  static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                              REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP, REG_EFL};
  const greg_t *g = context->uc_mcontext.gregs;
  for (int i = 0; i < 18; ++i) out->values[i] = (uint64_t)g[order[i]];
  uint64_t segments = (uint64_t)g[REG_CSGSFS];
  out->values[18] = segments & 0xffff;
  out->values[19] = segments >> 32 & 0xffff;
  out->values[20] = segments >> 16 & 0xffff;
}

// Page-fault error code: Intel SDM volume 3, 4.7. Only exception 14 carries it.
ck_access ck_access_of_fault(const ucontext_t *context) {
  const greg_t *g = context->uc_mcontext.gregs;
  ck_access access = {.known = g[REG_TRAPNO] == 14};
  if (access.known) {
    access.write = g[REG_ERR] & 2;
    access.fetch = g[REG_ERR] & 16;
  }
  return access;
}

// The trampoline that libc registers with a handler: read it back from the kernel.
uint64_t ck_signal_return(void) {
  cgr_kernel_action action = {0};
  return cgr_kernel_action_get(SIGSEGV, &action) && action.flags & CGR_SA_RESTORER ? (uintptr_t)action.restorer : 0;
}

ck_instruction ck_instruction_at(uint64_t pc) {
  uint8_t code[3] = {0};
  if (cgr_memory_read(pc, code, 2) < 2) return CK_INSTRUCTION_OTHER;
  cgr_memory_read(pc, code, 3);
  if (code[0] == 0x0f && code[1] == 0x0b) return CK_INSTRUCTION_TRAP;  // ud2
  if (code[0] == 0x0f && code[1] == 0xb9) return CK_INSTRUCTION_TRAP;  // ud1
  switch (code[0]) {
    case 0xf4:  // hlt
    case 0xfa:
    case 0xfb:  // cli, sti
    case 0xe4:
    case 0xe5:
    case 0xe6:
    case 0xe7:  // in, out with a port number
    case 0xec:
    case 0xed:
    case 0xee:
    case 0xef:  // in, out through dx
    case 0x6c:
    case 0x6d:
    case 0x6e:
    case 0x6f:  // ins, outs
      return CK_INSTRUCTION_PRIVILEGED;
    case 0x0f:
      // mov to and from control and debug registers, wrmsr, rdmsr, invd, wbinvd, clts, lgdt and its group
      if ((code[1] >= 0x20 && code[1] <= 0x23) || code[1] == 0x30 || code[1] == 0x32 || code[1] == 0x06
          || code[1] == 0x08 || code[1] == 0x09 || code[1] == 0x01)
        return CK_INSTRUCTION_PRIVILEGED;
      return CK_INSTRUCTION_OTHER;
    default: return CK_INSTRUCTION_OTHER;
  }
}

bool ck_interrupted_system_call(uint64_t pc) {
  uint8_t code[4] = {0};
  if (cgr_memory_read(pc - 2, code, 4) < 4) return false;
  return (code[0] == 0x0f && code[1] == 0x05) || (code[2] == 0x0f && code[3] == 0x05);
}

#define TRAP_FLAG 0x100

bool ck_can_step(const ucontext_t *context) {
  const greg_t *g = context->uc_mcontext.gregs;
  // A trap that is blocked would kill, and a program that steps itself has its own.
  bool is_blocked = ((const uint64_t *)&context->uc_sigmask)[0] >> (SIGTRAP - 1) & 1;
  if (is_blocked || g[REG_EFL] & TRAP_FLAG) return false;
  // A system call takes as long as it likes, and may start a thread or another program.
  uint8_t code[2];
  if (cgr_memory_read((uint64_t)g[REG_RIP], code, 2) < 2) return false;
  return !(code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) && code[0] != 0xcd;
}

void ck_context_step(ucontext_t *context, bool on) {
  greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];
  *flags = on ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

#define ALIGNMENT_CHECK_FLAG 0x40000

void ck_processor_reset(void) {
  if (__builtin_ia32_readeflags_u64() & ALIGNMENT_CHECK_FLAG)
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(uint64_t)ALIGNMENT_CHECK_FLAG);
}

void ck_context_set_result(ucontext_t *context, long result) { context->uc_mcontext.gregs[REG_RAX] = result; }

__attribute__((naked, noinline)) int ck_jump_set(struct ck_jump *jump) {
  __asm__ volatile(
      "movq %rbx, 0(%rdi)\n"
      "movq %rbp, 8(%rdi)\n"
      "movq %r12, 16(%rdi)\n"
      "movq %r13, 24(%rdi)\n"
      "movq %r14, 32(%rdi)\n"
      "movq %r15, 40(%rdi)\n"
      "leaq 8(%rsp), %rax\n"
      "movq %rax, 48(%rdi)\n"
      "movq (%rsp), %rax\n"
      "movq %rax, 56(%rdi)\n"
      "xorl %eax, %eax\n"
      "ret\n");
}

__attribute__((naked, noreturn, noinline)) void ck_jump_to(struct ck_jump *jump) {
  __asm__ volatile(
      "movq 0(%rdi), %rbx\n"
      "movq 8(%rdi), %rbp\n"
      "movq 16(%rdi), %r12\n"
      "movq 24(%rdi), %r13\n"
      "movq 32(%rdi), %r14\n"
      "movq 40(%rdi), %r15\n"
      "movq 48(%rdi), %rsp\n"
      "movl $1, %eax\n"
      "jmpq *56(%rdi)\n");
}

#define DIRECTION_FLAG 0x400

void ck_context_jump(ucontext_t *context, struct ck_jump *jump) {
  context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)ck_jump_to;
  context->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)jump;
  context->uc_mcontext.gregs[REG_EFL] &= ~DIRECTION_FLAG;
}

#endif
