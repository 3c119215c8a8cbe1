// Programs that answer refused system calls themselves, as sandboxes and emulators do, and handlers that count.
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "probe.h"
#include "processor.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

#define ANSWER 4711
static volatile int calls;
static volatile char selector;  // of user dispatch: 0 lets calls pass, 1 has them dispatched

static void set_answer(ucontext_t *context) {
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RAX] = ANSWER;
#else
  context->uc_mcontext.regs[0] = ANSWER;
#endif
}

static void emulate(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  selector = 0;
  ++calls;
  set_answer(context);
}

static void install_emulator(void) {
  struct sigaction action = {.sa_sigaction = emulate, .sa_flags = SA_SIGINFO};
  install_around(SIGSYS, &action);
}

// PROBE_CALL is a call that handlers of ours make too.
static int emulated(void) {
  install_emulator();
  int number = (int)number_from_environment("PROBE_CALL");
  filter_call(0, number, SECCOMP_RET_TRAP);
  long sum = 0;
  for (int i = 0; i < 3; ++i) sum += syscall(number, -1, 0, 0, 8, 0, 0);
  say("%d calls, %ld\n", calls, sum);
  return 7;
}

// The same while a handler for another signal runs, and jumps out of itself.
static sigjmp_buf way_out;
static void jump_out(int signal) {
  (void)signal;
  siglongjmp(way_out, 1);
}
static int emulated_beside_handler(void) {
  install_emulator();
  struct sigaction action = {.sa_handler = jump_out};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  filter_call(0, (int)number_from_environment("PROBE_CALL"), SECCOMP_RET_TRAP);
  char *page = protected_page();
  volatile int jumps = 0;
  for (volatile int i = 0; i < 3; ++i)
    if (sigsetjmp(way_out, 1) == 0)
      store(page);
    else
      ++jumps;
  say("%d jumps\n", jumps);
  return 7;
}

#if defined(__x86_64__)
// Every call, the return from a signal's handler among them.
static int dispatched(void) {
  install_emulator();
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) return 70;
  long sum = 0;
  for (int i = 0; i < 3; ++i) {
    selector = 1;
    sum += syscall(SYS_getppid);
  }
  say("%d calls, %ld\n", calls, sum);
  return 7;
}

// Foreign code faults: the emulator skips the instruction.
static void skip(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  selector = 0;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static int fault_while_dispatched(void) {
  install_emulator();
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) return 70;
  selector = 1;
  __asm__ volatile("xor %%eax, %%eax; movb (%%rax), %%al" ::: "rax", "memory");
  say("%d calls\n", calls);
  return 7;
}

static int dispatched_fault(void) {
  struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  return fault_while_dispatched();
}
#endif

#if defined(__x86_64__)
// The emulator answers what reads the processor's clock, which is refused to each thread and its children.
static void skip_two_bytes(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  ++calls;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}
static int clock_refused(void) {
  struct sigaction action = {.sa_sigaction = skip_two_bytes, .sa_flags = SA_SIGINFO};
  install_around(SIGSEGV, &action);
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) return 70;
  for (int i = 0; i < 3; ++i) {
    __asm__ volatile("rdtsc" ::: "rax", "rdx");
    __asm__ volatile("xor %%eax, %%eax; movb (%%rax), %%al" ::: "rax", "memory");
  }
  say("%d calls\n", calls);
  return 7;
}
static int clock_refused_crash(void) {
  install_crashkit();
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) return 70;
  store(protected_page());
  return 0;
}
#endif

// The handler repairs nothing, and ends the program when it is called the tenth time.
static void count(int signal) {
  (void)signal;
  if (++calls == 10) siglongjmp(way_out, 1);
}
static int counted(void) {
  struct sigaction action = {.sa_handler = count};
  install_around(SIGILL, &action);
  if (sigsetjmp(way_out, 1) == 0) UNDEFINED_INSTRUCTION();
  say("%d calls\n", calls);
  return 7;
}

const probe emulator_probes[] = {
    {"emulated", emulated},  // of a call
    {"emulated-beside-handler", emulated_beside_handler},
#if defined(__x86_64__)
    {"dispatched", dispatched},
    {"dispatched-fault", dispatched_fault},  // that is repaired
    {"dispatched-crash", fault_while_dispatched},
    {"clock-refused", clock_refused},
    {"clock-refused-crash", clock_refused_crash},
#endif
    {"counted", counted},  // by the handler
    {NULL, NULL},
};
