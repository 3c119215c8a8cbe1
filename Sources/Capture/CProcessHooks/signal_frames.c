// The kernel's frame of a signal, on each processor. Memory copies, and the system call that ends a handler.

#include "signal_frames.h"

#include "CGround/memory.h"

// A pointer into the memory that was copied, as it is in the copy.
static uintptr_t moved(uintptr_t pointer, uintptr_t to, uintptr_t from, size_t size) {
  return pointer >= from && pointer - from < size ? pointer - from + to : pointer;
}

#if defined(__x86_64__)

static void move_pointers(ucontext_t *copy, uintptr_t to, uintptr_t from, size_t size) {
  copy->uc_mcontext.fpregs = (fpregset_t)moved((uintptr_t)copy->uc_mcontext.fpregs, to, from, size);
}

// The kernel finds the context where the stack pointer is.
__attribute__((naked, noreturn, noinline)) void cph_signal_frame_return(const siginfo_t *info,
                                                                        const ucontext_t *context) {
  __asm__ volatile(
      "movq %rsi, %rsp\n"
      "movl $15, %eax\n"  // rt_sigreturn
      "syscall\n"
      "ud2\n");
}

#elif defined(__aarch64__)

#include <asm/sigcontext.h>

static void move_pointers(ucontext_t *copy, uintptr_t to, uintptr_t from, size_t size) {
  uint8_t *at = copy->uc_mcontext.__reserved, *end = at + sizeof copy->uc_mcontext.__reserved;
  while ((size_t)(end - at) >= sizeof(struct extra_context)) {
    struct _aarch64_ctx *head = (struct _aarch64_ctx *)at;
    if (head->magic == 0 || head->size < sizeof *head || head->size > end - at) return;
    struct extra_context *extra = (struct extra_context *)at;
    if (head->magic == EXTRA_MAGIC) extra->datap = moved(extra->datap, to, from, size);
    at += head->size;
  }
}

// The kernel finds the siginfo where the stack pointer is, and the context behind it.
__attribute__((naked, noreturn, noinline)) void cph_signal_frame_return(const siginfo_t *info,
                                                                        const ucontext_t *context) {
  __asm__ volatile(
      "mov sp, x0\n"
      "mov x8, #139\n"  // rt_sigreturn
      "svc #0\n"
      "brk #1\n");
}

#endif

void cph_signal_frame_copy(uintptr_t to, uintptr_t from, size_t size, const ucontext_t *context) {
  cgr_copy((void *)to, (const void *)from, size);
  move_pointers((ucontext_t *)((uintptr_t)context - from + to), to, from, size);
}
