// Handlers that are left without a return, with their mask or with the one of before; and what the program reads then.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "masks.h"
#include "probe.h"

static char *page;
static sigjmp_buf way_out;
static jmp_buf way_out_with_mask;
static volatile int way, calls;

static void say_mask(const char *where) {
  sigset_t mask;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
  say("%s: %016lx\n", where, *(unsigned long *)&mask);
}

static void *say_inherited(void *argument) {
  say_mask("thread");
  return argument;
}

// On every way to read it.
static void say_masks(const char *where) {
  say_mask(where);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, say_inherited, NULL) == 0 && pthread_join(thread, NULL) == 0);
  char *arguments[] = {"grep", "SigBlk", "/proc/self/status", NULL}, *none[] = {NULL};
  pid_t child;
  int status;
  CHECK(posix_spawn(&child, "/bin/grep", NULL, NULL, arguments, none) == 0);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(system("true") == 0);
  say_mask("after another program");
}

static void open_signal(int signal) {
  sigset_t set = only(signal);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
}

// As an exception that leaves the handler, a jump without a mask leaves the thread with the handler's.
static void leave_handler(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  ++calls;
  switch (way) {
    case 'J': siglongjmp(way_out, 1);  // the mask of before
    case 'O': open_signal(signal); _longjmp(way_out_with_mask, 1);
    case 'L': _longjmp(way_out_with_mask, 1);  // it is opened there
    case 'N':                                  // one inside another, and out of both
      way = 'J';
      open_signal(signal);
      if (sigsetjmp(way_out, 1) == 0) store(page);
      say_mask("left the inner one");
      _longjmp(way_out_with_mask, 1);
    default: say_masks("inside"); open_page(page);
  }
}

__attribute__((noinline)) static void fault_and_leave(char by) {
  way = by;
  if (by == 'J') {
    if (sigsetjmp(way_out, 1) == 0) store(page);
  } else if (by == 'R') {
    store(page);
    close_page(page);
  } else {
    if (_setjmp(way_out_with_mask) == 0) store(page);
    if (by == 'L') open_signal(SIGSEGV);
  }
}

static void fault_in_order(const char *order, sigset_t mask, int flags) {
  struct sigaction action = action_of(leave_handler, flags);
  action.sa_mask = mask;
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  sigset_t none;
  sigemptyset(&none);
  set_mask(none);
  for (int round = 0; round < 3; ++round)
    for (const char *by = order; *by; ++by) {
      fault_and_leave(*by);
      say("%c %d ", *by, calls);
      say_mask("left");
    }
  say_masks(order);
}

static int fault_in_orders(int flags) {
  static const char *const orders[] = {"J",    "O",    "L",  "OJ",   "LJ", "JO",  "JL",
                                       "OOJJ", "OJLJ", "NJ", "NOJL", "RJ", "ORLJ"};
  static char stack[65536];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  if (flags & SA_ONSTACK) CHECK(sigaltstack(&alternate, NULL) == 0);
  install_crashkit();
  page = protected_page();
  sigset_t none, two = only(SIGBUS), others = all_but(SIGTERM);
  sigemptyset(&none);
  sigaddset(&two, SIGUSR2);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
    fault_in_order(orders[i], none, flags);
    fault_in_order(orders[i], two, flags);
    fault_in_order(orders[i], others, flags);
  }
  return 7;
}
static int handlers_left(void) { return fault_in_orders(0); }
static int handlers_left_on_stack(void) { return fault_in_orders(SA_ONSTACK); }
static int handlers_left_nodefer(void) { return fault_in_orders(SA_NODEFER); }

// A thread ends inside a handler, and runs its cleanup there.
static void say_cleanup(void *argument) {
  (void)argument;
  say_masks("cleanup");
  fault_and_leave('J');
  say_mask("after a jump");
}
static void end_thread(int signal, siginfo_t *info, void *context) {
  if (way == 'J') return leave_handler(signal, info, context);
  open_signal(signal);
  pthread_exit(NULL);
}
static void *fault_to_the_end(void *argument) {
  pthread_cleanup_push(say_cleanup, NULL);
  store(page);
  pthread_cleanup_pop(0);
  return argument;
}
static int thread_ends_in_a_handler(void) {
  page = protected_page();
  struct sigaction action = action_of(end_thread, 0);
  sigaddset(&action.sa_mask, SIGBUS);
  install_around(SIGSEGV, &action);
  for (int i = 0; i < 3; ++i) {
    way = 0;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, fault_to_the_end, NULL) == 0 && pthread_join(thread, NULL) == 0);
    say_masks("joined");
  }
  return 7;
}

// The mask that a handler finds in its context is the program's, also inside another handler; and so is what it sets.
static const int nested_signals[] = {SIGSEGV, SIGUSR1, SIGBUS, SIGUSR2};
static volatile int depth, first_signal;
static void read_context(int signal, siginfo_t *info, void *context) {
  (void)info;
  sigset_t *mask = &((ucontext_t *)context)->uc_sigmask;
  say("signal %d found %016lx\n", signal, *(unsigned long *)mask);
  say_mask("in its own");
  if (++depth < 4) raise(nested_signals[(first_signal + depth) % 4]);
  --depth;
  // The kernel takes it over with the return, in a handler too.
  if (depth == 2) sigemptyset(mask);
  if (depth == 1) sigaddset(mask, SIGFPE);
  say_mask("behind another");
}
static int masks_in_contexts(void) {
  struct sigaction action = action_of(read_context, 0);
  sigaddset(&action.sa_mask, SIGILL);
  install_around(SIGSEGV, &action);
  for (int i = 1; i < 4; ++i) CHECK(sigaction(nested_signals[i], &action, NULL) == 0);
  for (first_signal = 0; first_signal < 4; ++first_signal) {
    raise(nested_signals[first_signal]);
    say_mask("after");
    sigset_t set = only(SIGFPE);
    set_mask(set);
  }
  return 7;
}

// What a handler sends itself is blocked there, and comes when it has returned: with the mask of the interrupted place.
static int sent;
static void send_again(int signal) {
  say_mask("handler");
  if (sent++ % 3 < 2) raise(signal);
  say("sent %d\n", sent);
}
static int sent_in_its_own_handler(void) {
  static const int signals[] = {SIGSEGV, SIGTRAP, SIGUSR1, SIGABRT};
  struct sigaction action = {.sa_handler = send_again};
  install_around(SIGSEGV, &action);
  for (int i = 0; i < 4; ++i) {
    sigemptyset(&action.sa_mask);
    for (int blocks = 0; blocks < 2; ++blocks) {
      CHECK(sigaction(signals[i], &action, NULL) == 0);
      raise(signals[i]);
      say_mask("after");
      sigaddset(&action.sa_mask, SIGSEGV);
    }
  }
  return 7;
}

// Several are pending when the mask is opened: each interrupts the handler of the one before.
static void say_order(int signal) {
  char where[32];
  snprintf(where, sizeof where, "signal %d", signal);
  say_mask(where);
}
static int sent_together(void) {
  static const int signals[] = {SIGSEGV, SIGTRAP, SIGFPE, SIGUSR1, SIGABRT};
  struct sigaction action = {.sa_handler = say_order};
  install_around(SIGSEGV, &action);
  for (int i = 1; i < 5; ++i) CHECK(sigaction(signals[i], &action, NULL) == 0);
  sigset_t none;
  sigemptyset(&none);
  for (unsigned chosen = 1; chosen < 32; ++chosen) {
    say("chosen %u\n", chosen);
    set_mask(all());
    for (int i = 0; i < 5; ++i)
      if (chosen >> i & 1) raise(signals[i]);
    set_mask(none);
    say_mask("after");
  }
  return 7;
}

const probe left_probes[] = {
    {"handlers-left", handlers_left},
    {"handlers-left-on-stack", handlers_left_on_stack},
    {"handlers-left-nodefer", handlers_left_nodefer},
    {"thread-ends-in-a-handler", thread_ends_in_a_handler},
    {"masks-in-contexts", masks_in_contexts},
    {"sent-in-its-own-handler", sent_in_its_own_handler},
    {"sent-together", sent_together},
    {NULL, NULL},
};
