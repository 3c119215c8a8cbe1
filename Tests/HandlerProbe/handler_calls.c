// What a handler finds when it is called: its arguments, and the mask in force where it came.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "masks.h"
#include "probe.h"

// --- Arguments -----------------------------------------------------------------------------------------------------

#if defined(__x86_64__)

static char *page;

// The kernel hands over all three on x86-64, whatever the flags, but leaves the room for the information as it was.
static void repair_with_all(int signal, siginfo_t *info, void *context) {
  const ucontext_t *interrupted = context;
  say("signal %d, info %d, page fault %d\n", signal, info != NULL, interrupted->uc_mcontext.gregs[REG_TRAPNO] == 14);
  open_page(page);
}

static int arguments_without_siginfo(void) {
  page = protected_page();
  struct sigaction action = action_of(repair_with_all, 0);
  action.sa_flags &= ~SA_SIGINFO;
  install_around(SIGSEGV, &action);
  store(page + 16);
  return 7;
}

#endif

// --- Masks ---------------------------------------------------------------------------------------------------------

static void say_blocked(const char *where) {
  sigset_t now;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  say("%s: usr1 %d usr2 %d alrm %d winch %d segv %d bus %d\n", where, sigismember(&now, SIGUSR1),
      sigismember(&now, SIGUSR2), sigismember(&now, SIGALRM), sigismember(&now, SIGWINCH), sigismember(&now, SIGSEGV),
      sigismember(&now, SIGBUS));
}

static void first(int signal, siginfo_t *info, void *context) {
  (void)info;
  const sigset_t *outside = &((const ucontext_t *)context)->uc_sigmask;
  say("signal %d, outside usr1 %d usr2 %d alrm %d segv %d bus %d\n", signal, sigismember(outside, SIGUSR1),
      sigismember(outside, SIGUSR2), sigismember(outside, SIGALRM), sigismember(outside, SIGSEGV),
      sigismember(outside, SIGBUS));
  say_blocked("inside");
  raise(SIGUSR2);
  raise(SIGALRM);
  raise(SIGWINCH);
  say("the first one ends\n");
}

static void other(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  say("signal %d\n", signal);
  say_blocked("there");
}

static int wait_ppoll(const sigset_t *mask) { return ppoll(NULL, 0, NULL, mask); }
static int wait_pselect(const sigset_t *mask) { return pselect(0, NULL, NULL, NULL, NULL, mask); }
static int wait_epoll(const sigset_t *mask) {
  struct epoll_event event;
  return epoll_pwait(epoll_create1(0), &event, 1, -1, mask);
}

// SIGUSR2 is open during the wait alone, and comes in the first handler. SIGALRM is open outside alone, and SIGWINCH is
// blocked by handlers: they come behind the first one, right behind the system call, with the mask of outside.
typedef struct waiting {
  int flags, others_flags;
  int blocked, outside, inside;  // the signal of a fault that the handler's mask has, the outer mask, and the wait's
} waiting;

static void wait_by_each_call(waiting how) {
  int (*const waits[])(const sigset_t *) = {sigsuspend, wait_ppoll, wait_pselect, wait_epoll};
  struct sigaction handling = action_of(first, how.flags), then = action_of(other, how.others_flags);
  sigaddset(&handling.sa_mask, SIGWINCH);
  sigaddset(&then.sa_mask, SIGWINCH);
  if (how.blocked) sigaddset(&handling.sa_mask, how.blocked);
  CHECK(sigaction(SIGUSR1, &handling, NULL) == 0 && sigaction(SIGUSR2, &then, NULL) == 0);
  CHECK(sigaction(SIGALRM, &then, NULL) == 0 && sigaction(SIGWINCH, &then, NULL) == 0);
  for (size_t i = 0; i < sizeof waits / sizeof *waits; ++i) {
    sigset_t outside = only(SIGUSR1), inside = only(SIGALRM);
    sigaddset(&outside, SIGUSR2);
    if (how.outside) sigaddset(&outside, how.outside);
    if (how.inside) sigaddset(&inside, how.inside);
    set_mask(outside);
    raise(SIGUSR1);
    say("call %zu: %d\n", i, waits[i](&inside));
    say_blocked("behind");
  }
}

static int handlers_in_waits(void) {
  char stack[64 * 1024];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  CHECK(sigaltstack(&alternate, NULL) == 0);
  struct sigaction winch = action_of(other, 0);
  install_around(SIGWINCH, &winch);
  const waiting all_ways[] = {
      {0, 0, 0, 0, 0},
      {0, SA_ONSTACK, 0, 0, 0},
      {SA_ONSTACK, SA_ONSTACK, 0, 0, 0},
      {SA_ONSTACK | SA_RESTART, 0, SIGSEGV, 0, 0},
      {0, 0, SIGSEGV, 0, 0},
      {SA_ONSTACK, SA_ONSTACK, 0, SIGSEGV, 0},
      {SA_ONSTACK, SA_ONSTACK, 0, 0, SIGSEGV},
      {SA_ONSTACK, SA_ONSTACK, 0, SIGSEGV, SIGBUS},
  };
  for (size_t i = 0; i < sizeof all_ways / sizeof *all_ways; ++i) wait_by_each_call(all_ways[i]);
  return 7;
}

// What the wait blocks besides these is blocked outside too: the masks do not differ otherwise.
static int faults_in_waits(void) {
  struct sigaction handling = action_of(first, SA_ONSTACK), then = action_of(other, SA_ONSTACK);
  install_around(SIGUSR1, &handling);
  CHECK(sigaction(SIGUSR2, &then, NULL) == 0 && sigaction(SIGALRM, &then, NULL) == 0);
  CHECK(sigaction(SIGWINCH, &then, NULL) == 0);
  const int faults[][2] = {{0, SIGSEGV}, {SIGSEGV, 0}, {SIGSEGV, SIGBUS}, {SIGSEGV, SIGSEGV}};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
    sigset_t outside = only(SIGUSR1), inside;
    sigemptyset(&inside);
    if (faults[i][0]) sigaddset(&outside, faults[i][0]);
    if (faults[i][1]) sigaddset(&inside, faults[i][1]);
    set_mask(outside);
    raise(SIGUSR1);
    say("sigsuspend: %d\n", sigsuspend(&inside));
    say_blocked("behind");
  }
  return 7;
}

// --- Stacks and actions --------------------------------------------------------------------------------------------

static char stacks[2][64 * 1024];

static void say_stack(const char *where, const stack_t *stack) {
  int at = stack->ss_sp == stacks[0] ? 0 : stack->ss_sp == stacks[1] ? 1 : stack->ss_sp ? 9 : -1;
  // A first thread that never set one has what the thread that started the process had.
  unsigned flags = stack->ss_size == 0 ? SS_DISABLE : (unsigned)stack->ss_flags;
  say("%s: stack %d, size %zx, flags %x\n", where, at, stack->ss_size, flags);
}

static bool changes_stack;
static void say_own_stack(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  stack_t *stack = &((ucontext_t *)context)->uc_stack;
  say_stack("in the context", stack);
  if (changes_stack) *stack = (stack_t){.ss_sp = stacks[1], .ss_size = sizeof stacks[1]};
}

static void *say_stacks(void *argument) {
  const int flags[] = {0, SA_ONSTACK};
  stack_t now, mine = {.ss_sp = stacks[0], .ss_size = sizeof stacks[0]};
  for (int has_stack = 0; has_stack < 2; ++has_stack) {
    if (has_stack) CHECK(sigaltstack(&mine, NULL) == 0);
    for (int i = 0; i < 4; ++i) {
      changes_stack = i >= 2 && has_stack;
      struct sigaction action = action_of(say_own_stack, flags[i % 2]);
      CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
      raise(SIGUSR1);
      CHECK(sigaltstack(NULL, &now) == 0);
      say_stack("behind", &now);
    }
  }
  return argument;
}

static int stacks_in_contexts(void) {
  struct sigaction action = action_of(say_own_stack, 0);
  install_around(SIGUSR1, &action);
  say_stacks(NULL);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, say_stacks, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}

// What is left of the action once the kernel has taken the handler out.
static int actions_after_one_call(void) {
  const int flags[] = {0, SA_SIGINFO, SA_ONSTACK, SA_ONSTACK | SA_NODEFER};
  const int blocked[] = {SIGUSR2, SIGSEGV};
  struct sigaction none = {.sa_handler = SIG_IGN};
  install_around(SIGUSR2, &none);
  for (size_t i = 0; i < 8; ++i) {
    struct sigaction action = {.sa_sigaction = other, .sa_flags = (int)SA_RESETHAND | flags[i % 4]}, now;
    action.sa_mask = only(blocked[i / 4]);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    CHECK(sigaction(SIGUSR1, NULL, &now) == 0);
    unsigned mask = (unsigned)*(unsigned long *)&now.sa_mask;
    say("default %d, flags %x, mask %x\n", now.sa_handler == SIG_DFL, (unsigned)now.sa_flags & ~0x04000000u, mask);
  }
  return 7;
}

const probe call_probes[] = {
#if defined(__x86_64__)
    {"arguments-without-siginfo", arguments_without_siginfo},
#endif
    {"handlers-in-waits", handlers_in_waits},
    {"faults-in-waits", faults_in_waits},
    {"stacks-in-contexts", stacks_in_contexts},
    {"actions-after-one-call", actions_after_one_call},
    {NULL, NULL},
};
