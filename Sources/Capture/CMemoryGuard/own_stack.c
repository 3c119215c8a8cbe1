// Registers and bytes of the calling thread's stack. System calls only.

#include "own_stack.h"

#include "CGround/memory.h"
#include "CGround/own_ids.h"

#if defined(__x86_64__)
#define STACK_POINTER 7
#else
#define STACK_POINTER 31
#endif

// Those that a call preserves, with the stack pointer and the program counter of this place.
#if defined(__x86_64__)
#define READ_REGISTERS(registers)                                                                      \
  __asm__ volatile(                                                                                    \
      "movq %%rbx, 24(%0)\n\tmovq %%rbp, 48(%0)\n\tmovq %%rsp, 56(%0)\n\tmovq %%r12, 96(%0)\n\t"       \
      "movq %%r13, 104(%0)\n\tmovq %%r14, 112(%0)\n\tmovq %%r15, 120(%0)\n\tleaq 1f(%%rip), %%rax\n\t" \
      "movq %%rax, 128(%0)\n1:"                                                                        \
      :                                                                                                \
      : "r"(registers)                                                                                 \
      : "rax", "memory")
#else
#define READ_REGISTERS(registers)                                                            \
  __asm__ volatile(                                                                          \
      "stp x19, x20, [%0, #152]\n\tstp x21, x22, [%0, #168]\n\tstp x23, x24, [%0, #184]\n\t" \
      "stp x25, x26, [%0, #200]\n\tstp x27, x28, [%0, #216]\n\tstp x29, x30, [%0, #232]\n\t" \
      "mov x9, sp\n\tadr x10, 1f\n\tstp x9, x10, [%0, #248]\n1:"                             \
      :                                                                                      \
      : "r"(registers)                                                                       \
      : "x9", "x10", "memory")
#endif

__attribute__((noinline)) void cmg_own_stack_copy(crv_guarded_stack *stack, uintptr_t caller) {
  READ_REGISTERS(stack->registers);
  stack->caller = caller;
  stack->thread = (uint32_t)cgr_thread_id();
  stack->start = stack->registers[STACK_POINTER];
  stack->size = (uint32_t)cgr_memory_read(stack->start, stack->bytes, sizeof stack->bytes);
}
