// Programs that do not crash: what they ask libc answers as ever.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <threads.h>

#include "CCrashCapture.h"
#include "probe.h"

static void nothing(int signal) { (void)signal; }

static int action_calls(void) {
  install_crashkit();
  struct sigaction action = {.sa_handler = nothing}, old;
  static const int numbers[] = {-1, 0, SIGKILL, SIGSTOP, 32, 33, 65, 1000, SIGSEGV, SIGUSR1};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    errno = 0;
    int set = sigaction(numbers[i], &action, NULL), set_error = errno;
    errno = 0;
    int get = sigaction(numbers[i], NULL, &old), get_error = errno;
    say("%d: set %d %d get %d %d none %d\n", numbers[i], set, set_error, get, get_error,
        sigaction(numbers[i], NULL, NULL));
    errno = 0;
    int simple = signal(numbers[i], SIG_DFL) == SIG_ERR;
    say("  signal %d %d\n", simple, errno);
  }
  errno = 0;
  say("SIG_ERR: %d %d\n", signal(SIGSEGV, SIG_ERR) == SIG_ERR, errno);
  say("untouched: %d\n", signal(SIGSEGV, nothing) == SIG_DFL);
  return 7;
}

// A handler that calls the one before it, as libraries chain them.
static int calls;
static void count_call(int signal) {
  (void)signal;
  ++calls;
}
sighandler_t bsd_signal(int, sighandler_t);  // declared for old programs alone

static int earlier_handlers(void) {
  static sighandler_t (*const functions[])(int, sighandler_t) = {signal, bsd_signal, sysv_signal};
  install_crashkit();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    CHECK(functions[i](SIGUSR1, SIG_DFL) != SIG_ERR);
    sighandler_t none = functions[i](SIGUSR1, count_call);
    sighandler_t first = functions[i](SIGUSR1, nothing);
    sighandler_t second = functions[i](SIGUSR1, first);
    say("%zu: %d %d %d\n", i, none == SIG_DFL, first == count_call, second == nothing);
    raise(SIGUSR1);
  }
  say("calls %d\n", calls);
  return 7;
}

static int masks(void) {
  install_crashkit();
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGSEGV);
  sigaddset(&set, SIGUSR1);
  say("%d ", pthread_sigmask(SIG_BLOCK, &set, &old));
  say("%d %d ", sigismember(&old, SIGSEGV), sigismember(&old, SIGUSR1));
  say("%d ", sigprocmask(SIG_UNBLOCK, &set, &old));
  say("%d %d ", sigismember(&old, SIGSEGV), sigismember(&old, SIGUSR1));
  errno = 0;
  int result = sigprocmask(99, &set, NULL);
  say("%d %d ", result, errno);
  errno = 0;
  result = pthread_sigmask(99, &set, NULL);
  say("%d %d\n", result, errno);
  return 7;
}

// Keys run in the order in which they were made, four rounds at most.
static pthread_key_t keys[3];
static void ended(void *value) {
  say("key %d\n", (int)(intptr_t)value % 10);
  if ((intptr_t)value > 10) pthread_setspecific(keys[(intptr_t)value % 10], (void *)((intptr_t)value - 10));
}
static void *use_keys(void *argument) {
  for (intptr_t i = 0; i < 3; ++i) pthread_setspecific(keys[i], (void *)(i + 50));
  return argument;
}
static int destructors(void) {
  for (int i = 0; i < 3; ++i) CHECK(pthread_key_create(&keys[i], ended) == 0);
  install_crashkit();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, use_keys, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}

static volatile int c11_mask_shown;
static int read_c11_mask(void *argument) {
  sigset_t mask;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
  c11_mask_shown = sigismember(&mask, SIGSEGV) + 2 * sigismember(&mask, SIGUSR1);
  return (int)(intptr_t)argument;
}

// A thread of C11 has its creator's mask and its own result.
static int c11_threads(void) {
  install_crashkit();
  sigset_t two;
  sigemptyset(&two);
  sigaddset(&two, SIGSEGV);
  sigaddset(&two, SIGUSR1);
  CHECK(pthread_sigmask(SIG_BLOCK, &two, NULL) == 0);
  for (int i = 0; i < 100; ++i) {
    thrd_t thread;
    int result = -1;
    CHECK(thrd_create(&thread, read_c11_mask, (void *)(intptr_t)(i - 50)) == thrd_success);
    CHECK(thrd_join(thread, &result) == thrd_success && result == i - 50 && c11_mask_shown == 3);
  }
  say("joined\n");
  return 7;
}

static sigjmp_buf past_fault;
static void jump_past(int signal) {
  (void)signal;
  siglongjmp(past_fault, 1);
}

// Other names for signal, and for sigaction with SIG_IGN.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static int older_action_calls(void) {
  install_crashkit();
  struct sigaction now;
  CHECK(ssignal(SIGSEGV, jump_past) == SIG_DFL);
  if (sigsetjmp(past_fault, 1) == 0) store((char *)8);
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0);
  say("ssignal: ours %d restarts %d\n", now.sa_handler == jump_past, (now.sa_flags & SA_RESTART) != 0);
  say("sigignore: %d\n", sigignore(SIGFPE));
  raise(SIGFPE);
  CHECK(sigaction(SIGFPE, NULL, &now) == 0);
  say("sigignore: ignored %d\n", now.sa_handler == SIG_IGN);
  say("sigignore: %d %d\n", sigignore(SIGKILL), errno);
  CHECK(ssignal(SIGUSR1, jump_past) == SIG_DFL && ssignal(SIGUSR1, SIG_DFL) == jump_past);
  return 7;
}

#pragma clang diagnostic pop

// The kernel's flag: libc has put in the function to which handlers return. Without it the field holds nothing.
#define SA_RESTORER_OF_KERNEL 0x04000000

static void say_action(int signal) {
  struct sigaction now = {.sa_flags = 0}, other = {.sa_flags = 0};
  CHECK(sigaction(signal, NULL, &now) == 0 && sigaction(SIGWINCH, NULL, &other) == 0);
  bool returns = now.sa_flags & SA_RESTORER_OF_KERNEL, is_same = now.sa_restorer == other.sa_restorer;
  say("%d: flags %x, mask %lx, ", signal, now.sa_flags & ~SA_RESTORER_OF_KERNEL, *(unsigned long *)&now.sa_mask);
  say("handler %d, restorer %s\n", now.sa_handler == jump_past, !returns ? "none" : is_same ? "as of another" : "own");
}

// What sigaction gives back is what the program set, with what libc and the kernel make of it.
static int actions_read_back(void) {
  static const int numbers[] = {SIGWINCH, SIGSEGV, SIGFPE, SIGABRT, SIGUSR1};
  struct sigaction action = {.sa_handler = jump_past, .sa_flags = SA_RESTART | SA_NODEFER}, ignore = {.sa_flags = 0};
  sigfillset(&action.sa_mask);
  ignore.sa_handler = SIG_IGN;
  install_crashkit();
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    say_action(numbers[i]);
    CHECK(sigaction(numbers[i], &action, NULL) == 0);
    say_action(numbers[i]);
    CHECK(sigaction(numbers[i], &ignore, NULL) == 0);
    say_action(numbers[i]);
  }
  return 7;
}

// The kernel answers to a bad address, where libc has no function of its own.
static int bad_addresses(void) {
  install_crashkit();
  char *page = protected_page();
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536}, now;
  say("%d %d\n", sigaltstack((stack_t *)1, NULL), errno);
  say("%d %d\n", sigaltstack((stack_t *)(page - 8), NULL), errno);
  say("%d %d\n", sigaltstack(&stack, (stack_t *)page), errno);
  CHECK(sigaltstack(NULL, &now) == 0);
  say("set all the same: %d\n", now.ss_sp == stack.ss_sp);
  return 7;
}

static void *install_too(void *argument) {
  pthread_barrier_wait(argument);
  ck_configuration configuration = {0};
  ck_installation installation;
  ck_install(&configuration, &installation);
  return (void *)(intptr_t)installation.result;
}
static int install_at_once(void) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 16);
  pthread_t threads[16];
  for (int i = 0; i < 16; ++i) CHECK(pthread_create(&threads[i], NULL, install_too, &barrier) == 0);
  int first = 0;
  for (int i = 0; i < 16; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    first += (intptr_t)result == CK_INSTALLED;
  }
  CHECK(first == 1);
  store((char *)8);
  return 7;
}

static int installed(void) {
  install_crashkit();
  return 0;
}

const probe quiet_probes[] = {
    {"installed", installed},
    {"action-calls", action_calls},
    {"older-action-calls", older_action_calls},
    {"actions-read-back", actions_read_back},
    {"bad-addresses", bad_addresses},
    {"c11-threads", c11_threads},
    {"earlier-handlers", earlier_handlers},
    {"masks", masks},
    {"destructors", destructors},
    {"install-at-once", install_at_once},
    {NULL, NULL},
};
