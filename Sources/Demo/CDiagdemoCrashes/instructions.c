#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

#include <signal.h>

// At numbers + 1 nothing lies that needs an alignment.
static _Alignas(16) char numbers[32];

#if defined(__x86_64__)
TRIGGER void crash_undefined_instruction(void) { __asm__ volatile("ud2"); }
TRIGGER void crash_breakpoint(void) { __asm__ volatile("int3"); }
TRIGGER void crash_privileged_instruction(void) { __asm__ volatile("hlt"); }

// In assembly, for C leaves the quotient undefined and the compiler may do without the division.
TRIGGER void crash_divide_by_zero(void) {
  __asm__ volatile("xorl %%edx, %%edx; movl $1, %%eax; divl %0" : : "r"(0) : "eax", "edx", "cc");
}

// Past the red zone, for the flags go through the stack.
TRIGGER void crash_unaligned(void) {
  __asm__ volatile("subq $128, %%rsp; pushfq; orl $0x40000, (%%rsp); popfq; movl (%0), %%eax"  // alignment check
                   :
                   : "r"(numbers + 1)
                   : "rax", "cc", "memory");
}

TRIGGER void crash_unaligned_vector(void) { __asm__ volatile("movaps %%xmm0, (%0)" : : "r"(numbers + 1) : "memory"); }
#elif defined(__aarch64__)
TRIGGER void crash_undefined_instruction(void) { __asm__ volatile("udf #0"); }
TRIGGER void crash_breakpoint(void) { __asm__ volatile("brk #0"); }
// A register that only the kernel may read.
TRIGGER void crash_privileged_instruction(void) { __asm__ volatile("mrs x0, vbar_el1" : : : "x0"); }

// This processor divides by zero without complaint: what is left is the signal.
TRIGGER void crash_divide_by_zero(void) { crash_raise(SIGFPE); }

// Ordinary accesses need no alignment here; exclusive ones do.
TRIGGER void crash_unaligned(void) { __asm__ volatile("ldaxr x1, [%0]" : : "r"(numbers + 1) : "x1", "memory"); }
TRIGGER void crash_unaligned_vector(void) { crash_unaligned(); }
#endif
