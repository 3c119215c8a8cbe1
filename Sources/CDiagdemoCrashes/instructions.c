#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

// A failing assert must fail in release builds too.
#undef NDEBUG
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#if defined(__x86_64__)
TRIGGER void crash_undefined_instruction(void) { __asm__ volatile("ud2"); }
TRIGGER void crash_breakpoint(void) { __asm__ volatile("int3"); }

// In assembly, for C leaves the quotient undefined and the compiler may do without the division.
TRIGGER void crash_divide_by_zero(void)
{
  __asm__ volatile("xorl %%edx, %%edx; movl $1, %%eax; divl %0" : : "r"(0) : "eax", "edx", "cc");
}
#elif defined(__aarch64__)
TRIGGER void crash_undefined_instruction(void) { __asm__ volatile("udf #0"); }
TRIGGER void crash_breakpoint(void) { __asm__ volatile("brk #0"); }

// This processor divides by zero without complaint: what is left is the signal.
TRIGGER void crash_divide_by_zero(void) { crash_raise(SIGFPE); }
#endif

TRIGGER void crash_abort(void) { abort(); }

TRIGGER void crash_assert(void)
{
  volatile int answer = 41;
  assert(answer == 42);
}
