// Signals on threads with another thread pointer than libc's. System calls only, and no thread-local words.

#include "foreign_threads.h"

#include <errno.h>
#include <sys/auxv.h>

#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "call_dispatch.h"
#include "call_filters.h"
#include "process_masks.h"

#if defined(__x86_64__)

// AT_HWCAP2's bit for RDFSBASE (the kernel's Documentation/arch/x86/x86_64/fsgs.rst).
enum { FSGSBASE = 1 << 1 };
// In libc's thread block, glibc's tcbhead_t: the block's own address, and a random word that all threads of a process
// have alike.
enum { SELF_OFFSET = 16, GUARD_OFFSET = 48 };
// Linux maps nothing below it.
enum { LOWEST_MAPPED = 0x10000 };

static bool tells_thread_pointer;
static uintptr_t guard;

static uintptr_t thread_pointer(void) {
  uintptr_t pointer;
  __asm__ volatile("rdfsbase %0" : "=r"(pointer));
  return pointer;
}

static uintptr_t word_at(uintptr_t address) { return *(const volatile uintptr_t *)address; }

void cph_foreign_threads_prepare(void) {
  if (!(getauxval(AT_HWCAP2) & FSGSBASE)) return;
  guard = word_at(thread_pointer() + GUARD_OFFSET);
  tells_thread_pointer = true;
}

// The address behind the system call below. A filter may answer that with a signal.
extern const char cph_mask_asked[] __attribute__((visibility("hidden")));

// The kernel reads a mask before it looks at what is to be done with it.
__attribute__((noinline)) static bool can_be_read(uintptr_t address) {
  enum { NOTHING_KNOWN = 99 };
  long result;
  register long size __asm__("r10") = 8;
  __asm__ volatile(
      "syscall\n"
      ".globl cph_mask_asked\n"
      ".hidden cph_mask_asked\n"
      "cph_mask_asked:"
      : "=a"(result)
      : "a"(SYS_rt_sigprocmask), "D"(NOTHING_KNOWN), "S"(address), "d"(0), "r"(size)
      : "rcx", "r11", "memory");
  return result != -EFAULT;
}

bool cph_foreign_question_is_refused(const siginfo_t *info, ucontext_t *context) {
  if (info->si_signo != SIGSYS || info->si_code <= 0 || info->si_call_addr != cph_mask_asked) return false;
  context->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
  return true;
}

static bool has_words(uintptr_t block) {
  if (!can_be_read(block + GUARD_OFFSET)) return false;
  return (block + SELF_OFFSET) >> 12 == (block + GUARD_OFFSET) >> 12 || can_be_read(block + SELF_OFFSET);
}

bool cph_thread_is_foreign(int signal) {
  if (!tells_thread_pointer) return false;
  uintptr_t pointer = thread_pointer();
  if (pointer < LOWEST_MAPPED || pointer % sizeof pointer != 0) return true;
  // No system call that could come back as SIGSYS.
  bool may_come_back = signal == SIGSYS || cph_calls_may_be_dispatched() || cph_calls_may_be_filtered();
  if (!may_come_back && !has_words(pointer)) return true;
  return word_at(pointer + SELF_OFFSET) != pointer || word_at(pointer + GUARD_OFFSET) != guard;
}

#else

void cph_foreign_threads_prepare(void) {}

bool cph_foreign_question_is_refused(const siginfo_t *info, ucontext_t *context) {
  (void)info, (void)context;
  return false;
}

bool cph_thread_is_foreign(int signal) {
  (void)signal;
  return __builtin_thread_pointer() == NULL;
}

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

// cgr_syscall reads a thread-local word where threads are filtered.
static void set_mask(int how, uint64_t mask) { cgr_kernel_call(SYS_rt_sigprocmask, how, (long)&mask, 0, 8, 0, 0); }

void cph_run_on_foreign_thread(int signal, siginfo_t *info, ucontext_t *context, const cph_foreign_handler *handler) {
  uint64_t mask = *(const uint64_t *)&context->uc_sigmask | handler->mask;
  if (!(handler->flags & (int)SA_NODEFER)) mask |= CGR_SIGNAL_BIT(signal);
  call made = {handler->function, signal, info, context};
  set_mask(SIG_SETMASK, mask);
  if (handler->selector) *handler->selector = CPH_DISPATCH_BLOCK;
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
  cgr_kernel_call(SYS_rt_sigaction, signal, (long)defaults, 0, 8, 0, 0);
  ((uint64_t *)&context->uc_sigmask)[0] &= ~one;
  // A fault comes back at the return.
  if (info->si_code > 0 && (signal == SIGSEGV || signal == SIGILL || signal == SIGFPE || signal == SIGBUS)) return;
  set_mask(SIG_BLOCK, one);
  long process = cgr_kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0), thread = cgr_kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
  cgr_kernel_call(SYS_tgkill, process, thread, signal, 0, 0, 0);
}
