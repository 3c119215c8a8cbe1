// Programs that do not crash: what they ask libc answers as ever.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

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
    {"earlier-handlers", earlier_handlers},
    {"masks", masks},
    {"destructors", destructors},
    {"install-at-once", install_at_once},
    {NULL, NULL},
};
