#pragma once
// The aarch64 system call convention: number in x8, arguments in x0 to x5, result in x0.

static inline long cgr_kernel_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  // x30 is not changed: named here, it is saved in the caller's frame, where whoever unwinds a waiting thread finds it.
  // The kernel gives such a thread's program counter and stack pointer alone.
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "x30");
  return x0;
}
