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
  say("%s: usr1 %d usr2 %d alrm %d winch %d segv %d\n", where, sigismember(&now, SIGUSR1), sigismember(&now, SIGUSR2),
      sigismember(&now, SIGALRM), sigismember(&now, SIGWINCH), sigismember(&now, SIGSEGV));
}

static void first(int signal, siginfo_t *info, void *context) {
  (void)info;
  const sigset_t *outside = &((const ucontext_t *)context)->uc_sigmask;
  say("signal %d, outside usr1 %d usr2 %d alrm %d\n", signal, sigismember(outside, SIGUSR1),
      sigismember(outside, SIGUSR2), sigismember(outside, SIGALRM));
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
static void wait_by_each_call(int flags, int others_flags, int blocked) {
  int (*const waits[])(const sigset_t *) = {sigsuspend, wait_ppoll, wait_pselect, wait_epoll};
  struct sigaction handling = action_of(first, flags), then = action_of(other, others_flags);
  sigaddset(&handling.sa_mask, SIGWINCH);
  sigaddset(&then.sa_mask, SIGWINCH);
  if (blocked) sigaddset(&handling.sa_mask, blocked);
  CHECK(sigaction(SIGUSR1, &handling, NULL) == 0 && sigaction(SIGUSR2, &then, NULL) == 0);
  CHECK(sigaction(SIGALRM, &then, NULL) == 0 && sigaction(SIGWINCH, &then, NULL) == 0);
  for (size_t i = 0; i < sizeof waits / sizeof *waits; ++i) {
    sigset_t outside = only(SIGUSR1), inside = only(SIGALRM);
    sigaddset(&outside, SIGUSR2);
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
  wait_by_each_call(0, 0, 0);
  wait_by_each_call(0, SA_ONSTACK, 0);
  wait_by_each_call(SA_ONSTACK, SA_ONSTACK, 0);
  wait_by_each_call(SA_ONSTACK | SA_RESTART, 0, SIGSEGV);
  wait_by_each_call(0, 0, SIGSEGV);
  return 7;
}

const probe call_probes[] = {
#if defined(__x86_64__)
    {"arguments-without-siginfo", arguments_without_siginfo},
#endif
    {"handlers-in-waits", handlers_in_waits},
    {NULL, NULL},
};
