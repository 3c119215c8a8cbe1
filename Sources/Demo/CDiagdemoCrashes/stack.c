#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

#include <stdint.h>
#include <string.h>

static volatile int end_of_recursion = -1;

TRIGGER static int overflow_stack(volatile char *below, int depth) {
  volatile char block[512];
  block[0] = below ? below[0] : 1;
  return depth == end_of_recursion ? 0 : overflow_stack(block, depth + 1) + block[0];
}

TRIGGER void crash_stack_overflow(void) { overflow_stack(NULL, 0); }

static volatile uintptr_t null_address = 0;

TRIGGER static int is_odd(unsigned number);

// Two small frames that call each other: a hundred thousand of them are less than the stack of a thread.
TRIGGER static int is_even(unsigned number) {
  if (number == 0) return *(volatile int *)null_address;  // At the end of the recursion.
  return is_odd(number - 1) + 1;
}

TRIGGER static int is_odd(unsigned number) { return is_even(number - 1) + 1; }

TRIGGER void crash_mutual_recursion(unsigned depth) { is_even(depth & ~1u); }

// The frame of the function itself: its caller's frame pointer, its return address, and what lies outside of them.
#define FRAME ((volatile uintptr_t *)__builtin_frame_address(0))

TRIGGER void crash_return_address(uintptr_t address) { FRAME[1] = address; }  // It returns here.

TRIGGER void crash_smash_stack_top(void) {
  memset(__builtin_frame_address(0), 0xa5, 256);
  *(volatile int *)null_address = 1;  // With the outer frames wiped.
}

TRIGGER void crash_frame_loop(void) {
  FRAME[0] = (uintptr_t)FRAME;
  *(volatile int *)null_address = 1;  // With a frame that is its own caller's.
}

TRIGGER void crash_nostack(void) {
#if defined(__x86_64__)
  __asm__ volatile("xorl %esp, %esp; xorl %ebp, %ebp; pushq %rax");
#elif defined(__aarch64__)
  __asm__ volatile("mov x29, xzr; mov sp, x29; str x0, [sp, #-16]!");
#endif
}
