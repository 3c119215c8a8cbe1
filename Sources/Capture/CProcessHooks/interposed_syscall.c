// Interposed syscall. libc has no other function for seccomp(2).

#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "real_functions.h"
#include "seen_filters.h"

typedef long six_arguments(long number, long a, long b, long c, long d, long e);

static bool is_set(long result, long flags) {
  // With this flag alone, a positive result is a thread that could not take the filter.
  bool may_fail_with_thread = flags & SECCOMP_FILTER_FLAG_TSYNC && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER);
  return result == 0 || (result > 0 && !may_fail_with_thread);
}

// seccomp and prctl have five arguments at most.
__attribute__((used, visibility("hidden"))) long cph_filtering_call(long number, long a, long b, long c, long d,
                                                                    long e) __asm__("cph_filtering_call");
long cph_filtering_call(long number, long a, long b, long c, long d, long e) {
  if (number == SYS_prctl) {
    const unsigned long arguments[4] = {(unsigned long)b, (unsigned long)c, (unsigned long)d, (unsigned long)e};
    return cph_prctl((int)a, arguments);
  }
  six_arguments *real = (six_arguments *)cph_real_syscall;
  if (a != SECCOMP_SET_MODE_STRICT && a != SECCOMP_SET_MODE_FILTER) return real(number, a, b, c, d, e);
  unsigned long mode = a == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT : SECCOMP_MODE_FILTER;
  cph_coming_filter filter;
  cph_filter_comes(&filter, mode, (unsigned long)b, (const void *)c);
  long result = real(number, a, b, c, d, e);
  cph_filter_came(&filter, is_set(result, b));
  return result;
}

#define NAME(value) NAME_OF(value)
#define NAME_OF(value) #value

// All other calls are jumps to libc's own, with every register and the stack as they are. A function in C may write to
// the place of the seventh argument: in a call with fewer, that is a word of the caller's own.
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    ".p2align 4\n"
    "syscall:\n"
    ".cfi_startproc\n"
    "  endbr64\n"
    "0:\n"
    "  movq cph_real_syscall(%rip), %rax\n"
    "  testq %rax, %rax\n"
    "  je 1f\n"
    "  cmpq $" NAME(__NR_seccomp) ", %rdi\n"
    "  je cph_filtering_call\n"
    "  cmpq $" NAME(__NR_prctl) ", %rdi\n"
    "  je cph_filtering_call\n"
    "  jmpq *%rax\n"
    // Before the library's constructor.
    "1:\n"
    "  pushq %rdi\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rsi\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rdx\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rcx\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %r8\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %r9\n  .cfi_adjust_cfa_offset 8\n"
    "  subq $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  call cph_real_functions_find\n"
    "  addq $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %r9\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %r8\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rcx\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rdx\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rsi\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rdi\n  .cfi_adjust_cfa_offset -8\n"
    "  jmp 0b\n"
    ".cfi_endproc\n"
    ".size syscall, . - syscall\n");
#else
// All seven arguments are in registers.
__attribute__((visibility("default"))) long cph_syscall(long number, long a, long b, long c, long d, long e,
                                                        long f) __asm__("syscall");
long cph_syscall(long number, long a, long b, long c, long d, long e, long f) {
  cph_real_functions_find();
  if (number == SYS_seccomp || number == SYS_prctl) return cph_filtering_call(number, a, b, c, d, e);
  __attribute__((musttail)) return ((typeof(&cph_syscall))cph_real_syscall)(number, a, b, c, d, e, f);
}
#endif
