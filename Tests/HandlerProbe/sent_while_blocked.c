// Signals of faults that are sent to a program which blocks them.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "masks.h"
#include "probe.h"

static pthread_barrier_t barrier;

static void tell_signal(int signal, siginfo_t *info, void *context) {
  (void)context;
  say("handler: %d code %d own %d\n", signal, info->si_code, info->si_pid == getpid());
}
static void say_pending(const char *where) {
  sigset_t set;
  CHECK(sigpending(&set) == 0);
  say("%s: segv %d fpe %d\n", where, sigismember(&set, SIGSEGV), sigismember(&set, SIGFPE));
}

static void *take_by_sigwait(void *argument) {
  sigset_t set = only(SIGSEGV);
  int taken = 0;
  pthread_barrier_wait(&barrier);
  CHECK(sigwait(&set, &taken) == 0);
  say("taken %d\n", taken);
  return argument;
}

// Another process sends signals faster than their handler ends.
enum { SENT = 10000 };
static volatile sig_atomic_t counted;
static void count(int signal, siginfo_t *info, void *context) { (void)signal, (void)info, (void)context, ++counted; }

static int sent_in_a_burst(void) {
  int signal = probe_arguments[3] ? atoi(probe_arguments[3]) : 0;
  struct sigaction action = action_of(count, SA_RESTART);
  install_around(signal, &action);
  pid_t parent = getpid(), sender = fork();
  if (sender == 0) {
    for (int i = 0; i < SENT; ++i) kill(parent, signal);
    _exit(0);
  }
  while (waitpid(sender, NULL, 0) == -1) CHECK(errno == EINTR);
  say("well: %d\n", counted > 0);
  return 7;
}

static int sent_while_blocked(void) {
  struct sigaction action = {.sa_sigaction = tell_signal, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  install_around(SIGSEGV, &action);
  sigset_t set = only(SIGSEGV), everything = all(), none;
  sigemptyset(&none);
  set_mask(everything);
  raise(SIGSEGV);
  say_pending("raised");
  set_mask(everything);
  say_pending("blocked again");
  say("opened\n");
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  say_pending("handled");

  set_mask(everything);
  kill(getpid(), SIGSEGV);
  say_pending("sent");
  struct timespec no_time = {0, 0};
  siginfo_t info;
  CHECK(sigtimedwait(&set, &info, &no_time) == SIGSEGV);
  say("waited: code %d own %d\n", info.si_code, info.si_pid == getpid());
  CHECK(sigtimedwait(&set, &info, &no_time) == -1 && errno == EAGAIN);

  union sigval value = {.sival_int = 77};
  CHECK(sigqueue(getpid(), SIGSEGV, value) == 0);
  CHECK(sigwaitinfo(&set, &info) == SIGSEGV);
  say("queued: code %d value %d\n", info.si_code, info.si_value.sival_int);

  int file = signalfd(-1, &set, SFD_CLOEXEC);
  struct signalfd_siginfo read_back;
  kill(getpid(), SIGSEGV);
  CHECK(read(file, &read_back, sizeof read_back) == sizeof read_back);
  say("read: %d code %d\n", (int)read_back.ssi_signo, read_back.ssi_code);

  // Another thread takes what is sent to the process.
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, take_by_sigwait, NULL) == 0);
  pthread_barrier_wait(&barrier);
  kill(getpid(), SIGSEGV);
  CHECK(pthread_join(thread, NULL) == 0);
  say_pending("none");

  // A wait that opens it; and one that blocks it for so long only.
  raise(SIGSEGV);
  say("suspend %d %d\n", sigsuspend(&none), errno);
  set_mask(none);
  return 7;
}

static pid_t other_thread;

// Until no thread passes SIGFPE on any more: it is pending, and the other thread has it blocked in earnest.
static void await_pending(void) {
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)other_thread);
  for (bool is_held = false; !is_held; sched_yield()) {
    FILE *file = fopen(path, "r");
    CHECK(file);
    unsigned long long blocked = 0;
    while (fgets(line, sizeof line, file)) sscanf(line, "SigBlk: %llx", &blocked);
    fclose(file);
    sigset_t set;
    CHECK(sigpending(&set) == 0);
    is_held = blocked >> (SIGFPE - 1) & 1 && sigismember(&set, SIGFPE);
  }
}

// What is pending, of this thread, of another one and of the process, is gone once the program ignores it.
static void *raise_blocked(void *argument) {
  other_thread = gettid();
  set_mask(all());
  raise(SIGSEGV);
  raise(SIGTRAP);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  say_pending("other thread");
  sigset_t set = only(SIGSEGV), trap = only(SIGTRAP);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && pthread_sigmask(SIG_UNBLOCK, &trap, NULL) == 0);
  return argument;
}

static int ignored_while_pending(void) {
  struct sigaction action = {.sa_sigaction = tell_signal, .sa_flags = SA_SIGINFO}, ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&action.sa_mask);
  install_around(SIGSEGV, &action);
  CHECK(sigaction(SIGFPE, &action, NULL) == 0);
  set_mask(all());
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, raise_blocked, NULL) == 0);
  pthread_barrier_wait(&barrier);
  raise(SIGSEGV);
  kill(getpid(), SIGSEGV);
  kill(getpid(), SIGFPE);
  raise(SIGILL);
  await_pending();
  say_pending("sent");
  CHECK(sigaction(SIGSEGV, &ignore, NULL) == 0 && signal(SIGFPE, SIG_IGN) != SIG_ERR);
  CHECK(signal(SIGTRAP, SIG_IGN) != SIG_ERR && signal(SIGILL, SIG_IGN) != SIG_ERR);
  say_pending("ignored");
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGFPE, &action, NULL) == 0);
  CHECK(signal(SIGTRAP, SIG_DFL) != SIG_ERR && signal(SIGILL, SIG_DFL) != SIG_ERR);
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(thread, NULL) == 0);
  sigset_t none;
  sigemptyset(&none);
  set_mask(none);
  say("went on\n");
  raise(SIGSEGV);
  return 7;
}

// A fault is no signal that was sent, and what has been sent has gone by then.
static int crash_after_held(void) {
  install_crashkit();
  set_mask(all());
  raise(SIGSEGV);
  sigset_t set = only(SIGSEGV);
  struct timespec no_time = {0, 0};
  CHECK(sigtimedwait(&set, NULL, &no_time) == SIGSEGV);
  set_mask(all());
  crash();
  return 7;
}

const probe sent_probes[] = {
    {"crash-after-held", crash_after_held},
    {"sent-in-a-burst", sent_in_a_burst},
    {"sent-while-blocked", sent_while_blocked},
    {"ignored-while-pending", ignored_while_pending},
    {NULL, NULL},
};
