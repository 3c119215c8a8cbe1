// Programs with a handler of their own.
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "probe.h"
#include "processor.h"

static char *page;
static volatile int calls;
static sigjmp_buf way_out;

// --- Repairs ---------------------------------------------------------------------------------------------------

static void say_mask(const char *where) {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  say("%s: usr1 %d usr2 %d segv %d bus %d alrm %d\n", where, sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2),
      sigismember(&mask, SIGSEGV), sigismember(&mask, SIGBUS), sigismember(&mask, SIGALRM));
}

static void repair_and_tell(int signal, siginfo_t *info, void *context) {
  ++calls;
  ucontext_t *at = context;
  say("signal %d code %d at page+%ld, pc %d, errno %d\n", signal, info->si_code, (long)((char *)info->si_addr - page),
      program_counter(at) != 0, errno);
  say("interrupted mask: usr2 %d\n", sigismember(&at->uc_sigmask, SIGUSR2));
  say_mask("inside");
  open_page(page);
}

static int repair_with(int flags) {
  page = protected_page();
  sigset_t usr2;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  sigprocmask(SIG_BLOCK, &usr2, NULL);
  struct sigaction action = action_of(repair_and_tell, flags), after;
  sigaddset(&action.sa_mask, SIGUSR1);
  install_around(SIGSEGV, &action);
  errno = 42;
  store(page + 16);
  say("errno %d\n", errno);
  say_mask("after");
  sigaction(SIGSEGV, NULL, &after);
  say("calls %d, handler %s, flags %x, mask usr1 %d\n", calls,
      after.sa_sigaction == repair_and_tell ? "own"
      : after.sa_handler == SIG_DFL         ? "default"
                                            : "other",
      after.sa_flags & ~0x04000000, sigismember(&after.sa_mask, SIGUSR1));
  return 0;
}
static int repair(void) { return repair_with(0); }
static int repair_nodefer(void) { return repair_with(SA_NODEFER); }
static int repair_resethand(void) { return repair_with((int)SA_RESETHAND); }
static int repair_onstack(void) { return repair_with(SA_ONSTACK); }

static void plain_repair(int signal) {
  ++calls;
  say("signal %d\n", signal);
  open_page(page);
}

static int repair_by_signal(void) {
  page = protected_page();
  if (!handlers_come_first) install_crashkit();
  say("was default: %d\n", signal(SIGSEGV, plain_repair) == SIG_DFL);
  if (handlers_come_first) install_crashkit();
  store(page);
  struct sigaction after;
  sigaction(SIGSEGV, NULL, &after);
  say("own %d flags %x segv %d\n", after.sa_handler == plain_repair, after.sa_flags & ~0x04000000,
      sigismember(&after.sa_mask, SIGSEGV));
  say("own again: %d\n", signal(SIGSEGV, SIG_DFL) == plain_repair);
  say("default: %d\n", signal(SIGSEGV, SIG_IGN) == SIG_DFL);
  say("ignored: %d\n", signal(SIGSEGV, SIG_DFL) == SIG_IGN);
  return 0;
}

static void quiet_repair(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  ++calls;
  open_page(page);
}

static int repair_often(void) {
  page = protected_page();
  struct sigaction action = action_of(quiet_repair, 0);
  install_around(SIGSEGV, &action);
  for (int i = 0; i < 1000; ++i) {
    store(page);
    close_page(page);
  }
  say("calls %d\n", calls);
  return 0;
}

// A filter answers a call that CrashKit makes around handlers by SIGSYS, which nobody handles.
static int repair_refused_stack(void) {
  static char stack[65536];
  page = protected_page();
  CHECK(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) == 0);
  struct sigaction action = action_of(quiet_repair, SA_ONSTACK);
  install_around(SIGSEGV, &action);
  filter_call(0, SYS_sigaltstack, SECCOMP_RET_TRAP);
  for (int i = 0; i < 3; ++i) {
    store(page);
    close_page(page);
  }
  say("calls %d\n", calls);
  return 0;
}

// The clock of the processor faults, and a filter answers the kernel's by SIGSYS.
static int repair_refused_clock(void) {
  page = protected_page();
  struct sigaction action = action_of(quiet_repair, 0);
  install_around(SIGSEGV, &action);
#if defined(__x86_64__)
  CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
#endif
  filter_call(0, SYS_clock_gettime, SECCOMP_RET_TRAP);
  for (int i = 0; i < 3; ++i) {
    store(page);
    close_page(page);
  }
  say("calls %d\n", calls);
  return 0;
}

// The memory's protection does not change, its backing does.
static int grown_file;
static void grow(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  ++calls;
  CHECK(ftruncate(grown_file, 4096) == 0);
}

static int repair_bus_often(void) {
  grown_file = memfd_create("grown", 0);
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, grown_file, 0);
  CHECK(page != MAP_FAILED);
  struct sigaction action = action_of(grow, 0);
  install_around(SIGBUS, &action);
  for (int i = 0; i < 100; ++i) {
    store(page);
    CHECK(ftruncate(grown_file, 0) == 0);
  }
  say("calls %d\n", calls);
  return 0;
}

// Code that is mended where it lies.
static unsigned char *code;
static void mend_code(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  ++calls;
  write_code(code, mended_code, sizeof mended_code);
}

static int repair_code_often(void) {
  code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(code != MAP_FAILED);
  struct sigaction action = action_of(mend_code, 0);
  install_around(SIGILL, &action);
  for (int i = 0; i < 100; ++i) {
    write_code(code, undefined_code, sizeof undefined_code);
    call_code(code);
  }
  say("calls %d\n", calls);
  return 0;
}

static void skip_instruction(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  ++calls;
  skip_undefined(context);
}

static int skip_often(void) {
  struct sigaction action = action_of(skip_instruction, 0);
  install_around(SIGILL, &action);
  for (int i = 0; i < 1000; ++i) UNDEFINED_INSTRUCTION();
  say("calls %d\n", calls);
  return 0;
}

static void jump_away(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  ++calls;
  siglongjmp(way_out, 1);
}

static int jump_often(void) {
  page = protected_page();
  struct sigaction action = action_of(jump_away, 0);
  install_around(SIGSEGV, &action);
  for (volatile int i = 0; i < 1000; ++i)
    if (sigsetjmp(way_out, 1) == 0) store(page);
  say("calls %d\n", calls);
  say_mask("after");
  return 7;
}

// On a thread whose alternate stack was another's before, and so may lie above its own stack.
static void *nothing(void *argument) { return argument; }
static __attribute__((noinline)) void deep_exit(void) {
  char space[32768];
  memset(space, 0, sizeof space);
  __asm__ volatile("" : : "r"(space) : "memory");
  exit(5);
}

static void *jump_and_exit(void *argument) {
  (void)argument;
  if (sigsetjmp(way_out, 1) == 0) store(page);
  deep_exit();
  return NULL;
}

static int jump_then_exit(void) {
  page = protected_page();
  struct sigaction action = action_of(jump_away, SA_ONSTACK);
  install_around(SIGSEGV, &action);
  // Leaves an alternate stack behind, high up in the address space; the next thread's own stack lies below.
  pthread_t thread;
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  pthread_attr_setstacksize(&large, 12 * 1024 * 1024);
  pthread_create(&thread, &large, jump_and_exit, NULL);
  pthread_join(thread, NULL);
  return 1;
}

// --- What else a handler may do ---------------------------------------------------------------------------------

static void need_stack(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  volatile char space[100 * 1024];
  for (size_t i = 0; i < sizeof space; i += 512) space[i] = 1;
  ++calls;
  open_page(page);
}

static int large_handler(void) {
  page = protected_page();
  struct sigaction action = action_of(need_stack, 0);
  install_around(SIGSEGV, &action);
  store(page);
  say("calls %d\n", calls);
  return 7;
}

static char *second_page;
static void nest(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  ++calls;
  bool inner = (char *)info->si_addr == second_page;
  if (!inner) store(second_page);
  open_page(inner ? second_page : page);
}

static int nested(void) {
  page = protected_page();
  second_page = protected_page();
  struct sigaction action = action_of(nest, SA_NODEFER);
  install_around(SIGSEGV, &action);
  store(page);
  say("calls %d\n", calls);
  return 7;
}

static void usr1(int signal) {
  (void)signal;
  ++calls;
}
static void raise_another(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  raise(SIGUSR1);
  open_page(page);
}
static int nested_other(void) {
  page = protected_page();
  struct sigaction action = action_of(raise_another, 0);
  install_around(SIGSEGV, &action);
  signal(SIGUSR1, usr1);
  store(page);
  say("calls %d\n", calls);
  return 7;
}

static void end_thread(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  pthread_exit((void *)11);
}

static void *fault_on_thread(void *argument) {
  store(page);
  return argument;
}

static int handler_ends_thread(void) {
  page = protected_page();
  struct sigaction action = action_of(end_thread, 0);
  install_around(SIGSEGV, &action);
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    void *result = NULL;
    CHECK(pthread_create(&thread, NULL, fault_on_thread, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == (void *)11);
  }
  return 7;
}

// A stack for handlers of the program's own, as small as most make it.
static int own_small_stack(void) {
  page = protected_page();
  if (!handlers_come_first) install_crashkit();
  size_t size = (size_t)SIGSTKSZ;
  stack_t stack = {.ss_sp = guarded(size), .ss_size = size}, now;
  CHECK(sigaltstack(&stack, NULL) == 0);
  if (handlers_come_first) install_crashkit();
  CHECK(sigaltstack(NULL, &now) == 0);
  if (!handlers_come_first) CHECK(now.ss_sp == stack.ss_sp && now.ss_size == size);
  store(page);
  return 7;
}

static void ignore_it(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
}
static int own_actions(void) {
  struct sigaction action = action_of(ignore_it, SA_NODEFER), old, again;
  install_around(SIGFPE, &action);
  CHECK(sigaction(SIGFPE, NULL, &old) == 0);
  CHECK(old.sa_sigaction == ignore_it);
  CHECK((old.sa_flags & ~0x04000000) == (SA_SIGINFO | SA_NODEFER));
  struct sigaction other = {.sa_handler = usr1};
  CHECK(sigaction(SIGFPE, &other, &old) == 0 && old.sa_sigaction == ignore_it);
  CHECK(sigaction(SIGFPE, &old, &again) == 0 && again.sa_handler == usr1);
  // One structure for both.
  CHECK(sigaction(SIGFPE, &other, &other) == 0 && other.sa_sigaction == ignore_it);
  for (int signal = 1; signal < 32; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    struct sigaction any;
    CHECK(sigaction(signal, NULL, &any) == 0);
    say("%d: %s\n", signal, any.sa_handler == SIG_DFL ? "default" : any.sa_handler == SIG_IGN ? "ignored" : "handled");
  }
  return 7;
}

const probe handler_probes[] = {
    {"repair", repair},
    {"repair-nodefer", repair_nodefer},
    {"repair-resethand", repair_resethand},
    {"repair-onstack", repair_onstack},
    {"repair-by-signal", repair_by_signal},
    {"repair-often", repair_often},
    {"repair-refused-stack", repair_refused_stack},
    {"repair-refused-clock", repair_refused_clock},
    {"repair-bus-often", repair_bus_often},
    {"repair-code-often", repair_code_often},
    {"skip-often", skip_often},
    {"jump-often", jump_often},
    {"jump-then-exit", jump_then_exit},
    {"large-handler", large_handler},
    {"nested", nested},
    {"nested-other", nested_other},
    {"handler-ends-thread", handler_ends_thread},
    {"own-small-stack", own_small_stack},
    {"own-actions", own_actions},
    {NULL, NULL},
};
