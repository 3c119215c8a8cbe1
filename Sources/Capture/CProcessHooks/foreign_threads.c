// Signals on threads with another thread pointer than libc's. System calls only, and no thread-local words.

#include "foreign_threads.h"

#include <sys/auxv.h>

#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "process_masks.h"

#if defined(__x86_64__)

// AT_HWCAP2's bit for RDFSBASE (the kernel's Documentation/arch/x86/x86_64/fsgs.rst).
enum { FSGSBASE = 1 << 1 };
// Where libc's thread block has its own address (glibc's tcbhead_t, `self`).
enum { SELF_OFFSET = 16 };
// Linux maps nothing below it.
enum { LOWEST_MAPPED = 0x10000 };

static bool tells_thread_pointer;

void cph_foreign_threads_prepare(void) { tells_thread_pointer = getauxval(AT_HWCAP2) & FSGSBASE; }

bool cph_thread_is_foreign(void) {
  if (!tells_thread_pointer) return false;
  uintptr_t pointer;
  __asm__("rdfsbase %0" : "=r"(pointer));
  // No system call: under an emulator it may come back as a signal.
  if (pointer < LOWEST_MAPPED || pointer % sizeof pointer != 0) return true;
  return *(const volatile uintptr_t *)(pointer + SELF_OFFSET) != pointer;
}

#else

void cph_foreign_threads_prepare(void) {}

bool cph_thread_is_foreign(void) { return __builtin_thread_pointer() == NULL; }

#endif

typedef struct call {
  void (*handler)(int, siginfo_t *, void *);
  int signal;
  siginfo_t *info;
  ucontext_t *context;
} call;

static void make(void *argument) {
  const call *made = argument;
  made->handler(made->signal, made->info, made->context);
}

void cph_run_on_foreign_thread(int signal, siginfo_t *info, ucontext_t *context, const cph_foreign_handler *handler) {
  uint64_t mask = *(const uint64_t *)&context->uc_sigmask | handler->mask;
  if (!(handler->flags & (int)SA_NODEFER)) mask |= CGR_SIGNAL_BIT(signal);
  call made = {handler->function, signal, info, context};
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
  // Our own handler takes the alternate stack if the thread has one.
  bool is_elsewhere = !(context->uc_stack.ss_flags & (SS_DISABLE | SS_ONSTACK)) && !(handler->flags & SA_ONSTACK);
  uintptr_t top = (cgr_context_stack_pointer(context) - CGR_RED_ZONE_BYTES) & ~(uintptr_t)15;
  if (is_elsewhere)
    cgr_call_on_stack(make, &made, (void *)top);
  else
    make(&made);
}

void cph_die_on_foreign_thread(int signal, const siginfo_t *info, ucontext_t *context) {
  uint64_t defaults[4] = {0}, one = CGR_SIGNAL_BIT(signal);
  cgr_syscall4(SYS_rt_sigaction, signal, defaults, NULL, 8);
  ((uint64_t *)&context->uc_sigmask)[0] &= ~one;
  // A fault comes back at the return.
  if (info->si_code > 0 && (signal == SIGSEGV || signal == SIGILL || signal == SIGFPE || signal == SIGBUS)) return;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &one, NULL, 8);
  cgr_syscall3(SYS_tgkill, cgr_syscall0(SYS_getpid), cgr_syscall0(SYS_gettid), signal);
}
