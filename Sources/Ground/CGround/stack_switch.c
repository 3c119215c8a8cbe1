// Calling a function on another stack, on each processor.

#include "CGround/stack_switch.h"

#include "CGround/memory.h"

#define RETURNS ".globl cgr_call_on_stack_returns\n.hidden cgr_call_on_stack_returns\ncgr_call_on_stack_returns:\n"

extern const char cgr_call_on_stack_returns[];

#if defined(__x86_64__)

uintptr_t cgr_context_stack_pointer(const ucontext_t *context) {
  return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

__attribute__((naked, noinline)) void cgr_call_on_stack(void (*function)(void *), void *argument, void *top) {
  __asm__ volatile(
      ".cfi_def_cfa_offset 8\n"
      "pushq %rbp\n"
      ".cfi_def_cfa_offset 16\n"
      ".cfi_offset rbp, -16\n"
      "movq %rsp, %rbp\n"
      ".cfi_def_cfa_register rbp\n"
      "movq %rdx, %rsp\n"
      "movq %rdi, %rax\n"
      "movq %rsi, %rdi\n"
      "callq *%rax\n" RETURNS
      "movq %rbp, %rsp\n"
      "popq %rbp\n"
      ".cfi_def_cfa rsp, 8\n"
      "ret\n");
}

#elif defined(__aarch64__)

uintptr_t cgr_context_stack_pointer(const ucontext_t *context) { return context->uc_mcontext.sp; }

__attribute__((naked, noinline)) void cgr_call_on_stack(void (*function)(void *), void *argument, void *top) {
  __asm__ volatile(
      "stp x29, x30, [sp, #-16]!\n"
      ".cfi_def_cfa_offset 16\n"
      ".cfi_offset x29, -16\n"
      ".cfi_offset x30, -8\n"
      "mov x29, sp\n"
      ".cfi_def_cfa x29, 16\n"
      "mov x9, x0\n"
      "mov x0, x1\n"
      "mov sp, x2\n"
      "blr x9\n" RETURNS
      "mov sp, x29\n"
      "ldp x29, x30, [sp], #16\n"
      ".cfi_def_cfa sp, 0\n"
      "ret\n");
}

#endif

#define CODE_BYTES_MAX 64

// Both libraries have the function, each at an address of its own.
bool cgr_is_return_to_other_stack(uintptr_t address) {
  const char *own = (const char *)(uintptr_t)cgr_call_on_stack;
  size_t size = (size_t)(cgr_call_on_stack_returns - own);
  if (address == (uintptr_t)cgr_call_on_stack_returns) return true;
  char code[CODE_BYTES_MAX];
  if (size > sizeof code || address < size || cgr_memory_read(address - size, code, size) != size) return false;
  for (size_t i = 0; i < size; ++i)
    if (code[i] != own[i]) return false;
  return true;
}
