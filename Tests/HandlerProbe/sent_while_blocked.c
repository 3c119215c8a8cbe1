// Signals of faults that are sent to a program which blocks them.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
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

static void count_and_tell(int signal, siginfo_t *info, void *context) {
  (void)context;
  say("%d code %d value %d\n", signal, info->si_code, info->si_value.sival_int);
  ++counted;
}

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

// --- To one thread, while others have it open -------------------------------------------------------------------

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS};
enum { FAULTS = sizeof faults / sizeof *faults };

static void take(int signal) {
  sigset_t set = only(signal);
  siginfo_t info = {0};
  struct timespec limit = {.tv_sec = 5};
  int taken = sigtimedwait(&set, &info, &limit);
  say("took %d of %d: code %d value %d\n", taken, signal, info.si_code, info.si_value.sival_int);
}

// Blocks each, and takes it once it has been sent.
static void *take_each(void *argument) {
  other_thread = gettid();
  for (int i = 0; i < FAULTS; ++i) {
    set_mask(only(faults[i]));
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    take(faults[i]);
  }
  return argument;
}

static void queue_it(pthread_t thread, int signal) {
  CHECK(pthread_sigqueue(thread, signal, (union sigval){.sival_int = 40 + signal}) == 0);
}

// Another process, past libc.
static void send_from_outside(pthread_t thread, int signal) {
  (void)thread;
  pid_t process = getpid(), sender = fork();
  if (sender == 0) {
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
    info.si_value.sival_int = 50;
    _exit(syscall(SYS_rt_tgsigqueueinfo, process, other_thread, signal, &info) == 0 ? 0 : 1);
  }
  int status;
  CHECK(waitpid(sender, &status, 0) == sender && status == 0);
}

static void send_by_timer(pthread_t thread, int signal) {
  (void)thread;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal, .sigev_value.sival_int = 60};
  event._sigev_un._tid = other_thread;
  struct itimerspec soon = {.it_value.tv_nsec = 1};
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
  while (soon.it_value.tv_nsec != 0) CHECK(timer_gettime(timer, &soon) == 0);
}

static int sent_to_a_thread(void) {
  static void (*const ways[])(pthread_t, int) = {queue_it, send_from_outside, send_by_timer};
  install_crashkit();
  pthread_barrier_init(&barrier, NULL, 2);
  for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, take_each, NULL) == 0);
    for (int i = 0; i < FAULTS; ++i) {
      pthread_barrier_wait(&barrier);
      ways[way](thread, faults[i]);
      pthread_barrier_wait(&barrier);
    }
    CHECK(pthread_join(thread, NULL) == 0);
  }
  return 7;
}

static void *end_at_once(void *argument) { return argument; }

// A thread that begins has what its creator blocks blocked from the first moment.
static int sent_while_threads_start(void) {
  install_crashkit();
  struct timespec limit = {.tv_sec = 5};
  for (int i = 0; i < FAULTS; ++i) {
    sigset_t set = only(faults[i]);
    set_mask(set);
    for (int times = 0; times < 250; ++times) {
      pthread_t thread;
      CHECK(pthread_create(&thread, NULL, end_at_once, NULL) == 0);
      CHECK(kill(getpid(), faults[i]) == 0);
      CHECK(sigtimedwait(&set, NULL, &limit) == faults[i]);
      CHECK(pthread_join(thread, NULL) == 0);
    }
    say("took %d each time\n", faults[i]);
  }
  return 7;
}

// Has each open, and comes back from a call behind each.
static void *have_them_open(void *argument) {
  for (int i = 0; i < 2 * FAULTS; ++i) pthread_barrier_wait(&barrier);
  return argument;
}

// To the first thread, which the kernel asks first for what is sent to the process.
static int queued_to_the_first(void) {
  install_crashkit();
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, have_them_open, NULL) == 0);
  for (int i = 0; i < FAULTS; ++i) {
    set_mask(only(faults[i]));
    pthread_barrier_wait(&barrier);
    queue_it(pthread_self(), faults[i]);
    pthread_barrier_wait(&barrier);
    say_pending("queued");
    take(faults[i]);
  }
  CHECK(pthread_sigqueue(pthread_self(), NSIG, (union sigval){0}) == EINVAL);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}

// The first thread has ended, and one that blocks them is the next.
static void *block_all(void *argument) {
  set_mask(all());
  pthread_barrier_wait(&barrier);
  for (;;) pause();
  return argument;
}

static void *queue_to_the_process(void *argument) {
  CHECK(pthread_join(*(pthread_t *)argument, NULL) == 0);
  pthread_barrier_wait(&barrier);
  alarm(10);
  for (int i = 0; i < FAULTS; ++i) {
    CHECK(sigqueue(getpid(), faults[i], (union sigval){.sival_int = 70}) == 0);
    while (counted <= i) sched_yield();
  }
  exit(7);
}

static int queued_without_the_first(void) {
  static pthread_t first, threads[2];
  first = pthread_self();
  struct sigaction action = action_of(count_and_tell, 0);
  install_crashkit();
  for (int i = 0; i < FAULTS; ++i) CHECK(sigaction(faults[i], &action, NULL) == 0);
  pthread_barrier_init(&barrier, NULL, 2);
  CHECK(pthread_create(&threads[0], NULL, block_all, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, queue_to_the_process, &first) == 0);
  pthread_exit(NULL);
}

const probe sent_probes[] = {
    {"crash-after-held", crash_after_held},
    {"sent-in-a-burst", sent_in_a_burst},
    {"sent-while-blocked", sent_while_blocked},
    {"sent-to-a-thread", sent_to_a_thread},
    {"sent-while-threads-start", sent_while_threads_start},
    {"queued-to-the-first", queued_to_the_first},
    {"queued-without-the-first", queued_without_the_first},
    {"ignored-while-pending", ignored_while_pending},
    {NULL, NULL},
};
