// Handlers on small alternate stacks: that nest until there is no room, and that yield to other coroutines. And filters
// that answer the calls with which stacks and actions are set.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "probe.h"

#define SMALL_BYTES (16 * 1024)

// With memory below that may be written to, in which nothing stops what runs off the stack.
static void use_stack(void) {
  char *memory = mmap(NULL, 4 * SMALL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  const stack_t stack = {.ss_sp = memory + 3 * SMALL_BYTES, .ss_size = SMALL_BYTES};
  CHECK(sigaltstack(&stack, NULL) == 0);
}

static volatile int calls, most;
static void raise_again(int signal) {
  if (++calls < most) raise(signal);
}
static void on_fault(int signal) {
  (void)signal;
  _exit(3);
}

// No fault: the kernel refuses to begin another handler, and kills, past the program's handler of SIGSEGV.
static int nested_off_stack(bool handles) {
  struct sigaction again = {.sa_handler = raise_again, .sa_flags = SA_ONSTACK | SA_NODEFER};
  struct sigaction fault = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
  if (handles) CHECK(sigaction(SIGSEGV, &fault, NULL) == 0);
  install_around(SIGUSR1, &again);
  use_stack();
  most = 100;
  raise(SIGUSR1);
  return 7;
}
static int nested_off(void) { return nested_off_stack(false); }
static int nested_off_handled(void) { return nested_off_stack(true); }

// A handler inside another one, where the room that is left on a stack that was set past libc is about what CrashKit
// needs.
static char *pages[2];
static void fault_again(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  if (info->si_addr == pages[0]) store(pages[1]);
  open_page(info->si_addr);
}
static int raw_stack_steps(void) {
  struct sigaction again = action_of(fault_again, SA_ONSTACK | SA_NODEFER);
  for (int i = 0; i < 2; ++i) pages[i] = protected_page();
  install_around(SIGSEGV, &again);
  char *memory = guarded(4 * SMALL_BYTES);
  int steps = 0;
  for (size_t size = SMALL_BYTES - 4096; size <= 2 * SMALL_BYTES; size += 64, ++steps) {
    const stack_t stack = {.ss_sp = memory + 4 * SMALL_BYTES - size, .ss_size = size};
    CHECK(syscall(SYS_sigaltstack, &stack, NULL) == 0);
    for (int i = 0; i < 2; ++i) close_page(pages[i]);
    store(pages[0]);
  }
  say("%d steps\n", steps);
  return 7;
}

// --- Coroutines ------------------------------------------------------------------------------------------------------

#define COROUTINES 6
#define FAULTS 40
static ucontext_t scheduler, coroutines[COROUTINES];
static stack_t alternates[COROUTINES];
static volatile int current, done, signal_sent;
static char *page;

static void yield_inside(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  ++calls;
  CHECK(swapcontext(&coroutines[current], &scheduler) == 0);
  // It goes on with what it was called with.
  if (info->si_signo == SIGSEGV) CHECK(info->si_addr == page);
  open_page(page);
}

static void work(void) {
  for (int i = 0; i < FAULTS; ++i) {
    if (signal_sent) raise(SIGUSR1);
    close_page(page);
    store(page);
  }
  ++done;
}

// Each has an alternate stack of its own, which is set as it goes on.
static int yields(int sent) {
  signal_sent = sent;
  page = protected_page();
  struct sigaction action = action_of(yield_inside, SA_ONSTACK);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  install_around(SIGSEGV, &action);
  for (int i = 0; i < COROUTINES; ++i) {
    alternates[i] = (stack_t){.ss_sp = guarded(SMALL_BYTES), .ss_size = SMALL_BYTES};
    CHECK(getcontext(&coroutines[i]) == 0);
    coroutines[i].uc_stack = (stack_t){.ss_sp = guarded(4 * SMALL_BYTES), .ss_size = 4 * SMALL_BYTES};
    coroutines[i].uc_link = &scheduler;
    makecontext(&coroutines[i], work, 0);
  }
  bool ended[COROUTINES] = {false};
  while (done < COROUTINES)
    for (int i = 0; i < COROUTINES; ++i) {
      if (ended[i]) continue;
      int before = done;
      current = i;
      CHECK(sigaltstack(&alternates[i], NULL) == 0);
      CHECK(swapcontext(&scheduler, &coroutines[i]) == 0);
      ended[i] = done != before;
    }
  say("%d calls\n", calls);
  return 7;
}
static int yields_in_faults(void) { return yields(0); }
static int yields_in_both(void) { return yields(1); }

// --- Filters ---------------------------------------------------------------------------------------------------------

static void refuse(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
#if defined(__x86_64__)
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
#else
  ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long)-EPERM;
#endif
  ++calls;
}

static void trap_call(int number, bool emulates) {
  struct sigaction action = action_of(refuse, SA_NODEFER);
  if (emulates) CHECK(sigaction(SIGSYS, &action, NULL) == 0);
  install_crashkit();
  CHECK(filter_call(0, number, SECCOMP_RET_TRAP) == 0);
}
static int abort_without_stacks(void) {
  trap_call(SYS_sigaltstack, false);
  abort();
}
static int abort_without_stacks_emulated(void) {
  trap_call(SYS_sigaltstack, true);
  abort();
}
static int actions_emulated(void) {
  trap_call(SYS_rt_sigaction, true);
  struct sigaction mine = {.sa_handler = on_fault}, before;
  const int wanted[] = {SIGSEGV, SIGABRT, SIGUSR1};
  for (int i = 0; i < 3; ++i) {
    errno = 0;
    int result = sigaction(wanted[i], &mine, &before);
    say("%d %d %d calls\n", result, errno, calls);
  }
  return 7;
}

// Only the calls that set an action: those that have one.
static void trap_settings(void) {
  enum { LOW = offsetof(struct seccomp_data, args[1]), HIGH = LOW + 4 };
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, HIGH),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  set_filter(by_seccomp, 0, rules, sizeof rules / sizeof *rules);
}
static int settings_emulated(void) {
  struct sigaction action = action_of(refuse, SA_NODEFER), mine = {.sa_handler = on_fault}, now;
  CHECK(sigaction(SIGSYS, &action, NULL) == 0);
  install_crashkit();
  trap_settings();
  const int wanted[] = {SIGSEGV, SIGABRT, SIGUSR1};
  for (int i = 0; i < 3; ++i) {
    errno = 0;
    int result = sigaction(wanted[i], &mine, NULL), error = errno, read = sigaction(wanted[i], NULL, &now);
    say("%d %d %d calls, %d %d\n", result, error, calls, read, now.sa_handler == SIG_DFL);
  }
  return 7;
}

const probe small_probes[] = {
    {"nested-off-stack", nested_off},
    {"nested-off-stack-handled", nested_off_handled},
    {"raw-stack-steps", raw_stack_steps},
    {"yields-in-faults", yields_in_faults},
    {"yields-in-both", yields_in_both},
    {"abort-without-stacks", abort_without_stacks},
    {"abort-without-stacks-emulated", abort_without_stacks_emulated},
    {"actions-emulated", actions_emulated},
    {"settings-emulated", settings_emulated},
    {NULL, NULL},
};
