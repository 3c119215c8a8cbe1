// Threads that wait in a call while a signal of a fault comes: what the program did not ask for ends no wait.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>

#include "probe.h"

// Longer than any test waits.
#define FOR_EVER_S 60

// The test has named it behind the order.
static const char *chosen(void) {
  CHECK(probe_arguments[2] && probe_arguments[3]);
  return probe_arguments[3];
}

static int first_thread;

static void wait_in(const char *call) {
  struct timespec time = {.tv_sec = FOR_EVER_S};
  struct epoll_event event;
  sem_t semaphore;
  char byte;
  int ends[2];
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  CHECK(epoll >= 0 && pipe(ends) == 0 && sem_init(&semaphore, 0, 0) == 0);
  if (strcmp(call, "sleep") == 0) say("sleep %u\n", sleep(FOR_EVER_S));
  if (strcmp(call, "nanosleep") == 0) say("nanosleep %d\n", nanosleep(&time, NULL));
  if (strcmp(call, "poll") == 0) say("poll %d\n", poll(NULL, 0, FOR_EVER_S * 1000));
  if (strcmp(call, "pause") == 0) say("pause %d\n", pause());
  if (strcmp(call, "epoll") == 0) say("epoll %d\n", epoll_wait(epoll, &event, 1, FOR_EVER_S * 1000));
  if (strcmp(call, "semaphore") == 0) say("semaphore %d\n", sem_wait(&semaphore));
  if (strcmp(call, "read") == 0) say("read %d\n", (int)read(ends[0], &byte, 1));
}

// --- A handler that ends the program while the first thread waits ------------------------------------------------

static void (*ending)(int);

static void end_it(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  say("ending\n");
  ending(3);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *crash_beside_wait(void *argument) {
  await_sleep_of(getpid(), first_thread);
  store((char *)8);
  return argument;
}

static int ends_beside_wait(void (*end)(int)) {
  ending = end;
  first_thread = (int)syscall(SYS_gettid);
  struct sigaction action = action_of(end_it, 0);
  install_around(SIGSEGV, &action);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, crash_beside_wait, NULL) == 0);
  wait_in(chosen());
  exit(77);
}

static int exit_beside_wait(void) { return ends_beside_wait(exit); }
static int exit_at_once_beside_wait(void) { return ends_beside_wait(_exit); }
static int exit_quickly_beside_wait(void) { return ends_beside_wait(quick_exit); }

// A function that exit runs needs a lock that another thread gives back in a while.
static void *hold_lock(void *argument) {
  struct timespec pause = {.tv_nsec = 100000000};
  pthread_mutex_lock(&lock);
  pthread_barrier_wait(&both);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
  pthread_mutex_unlock(&lock);
  return argument;
}

static void take_lock(void) {
  pthread_mutex_lock(&lock);
  say("taken\n");
}

static int exit_needs_other_thread(void) {
  ending = exit;
  atexit(take_lock);
  struct sigaction action = action_of(end_it, 0);
  install_around(SIGSEGV, &action);
  CHECK(pthread_barrier_init(&both, NULL, 2) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, hold_lock, NULL) == 0);
  pthread_barrier_wait(&both);
  store((char *)8);
  return 7;
}

// --- A signal that ends no wait ----------------------------------------------------------------------------------

static sem_t handled, posted;
static int pipe_ends[2];

static void count_handled(int signal) {
  (void)signal;
  sem_post(&handled);
}

static void await_handled(void) {
  while (sem_wait(&handled) != 0) {
  }
}

// A signal wakes a thread in a call at once: it is in the call again if it waits after that.
static void *signal_beside_wait(void *number) {
  await_sleep_of(getpid(), first_thread);
  CHECK(syscall(SYS_tgkill, getpid(), first_thread, (int)(intptr_t)number) == 0);
  if (strcmp(probe_arguments[3], "handled") == 0) await_handled();
  await_sleep_of(getpid(), first_thread);
  CHECK(write(pipe_ends[1], "x", 1) == 1 && sem_post(&posted) == 0);
  return NULL;
}

static void say_wait(const char *call) {
  struct pollfd file = {.fd = pipe_ends[0], .events = POLLIN};
  struct epoll_event event = {.events = EPOLLIN};
  struct timespec limit = {.tv_sec = FOR_EVER_S};
  fd_set files;
  char byte;
  int result = 0, epoll = epoll_create1(EPOLL_CLOEXEC);
  CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_ends[0], &event) == 0);
  FD_ZERO(&files);
  FD_SET(pipe_ends[0], &files);
  errno = 0;
  if (strcmp(call, "read") == 0) result = (int)read(pipe_ends[0], &byte, 1);
  if (strcmp(call, "poll") == 0) result = poll(&file, 1, FOR_EVER_S * 1000);
  if (strcmp(call, "ppoll") == 0) result = ppoll(&file, 1, &limit, NULL);
  if (strcmp(call, "select") == 0) result = select(pipe_ends[0] + 1, &files, NULL, NULL, NULL);
  if (strcmp(call, "epoll") == 0) result = epoll_wait(epoll, &event, 1, FOR_EVER_S * 1000);
  if (strcmp(call, "semaphore") == 0) result = sem_wait(&posted);
  say("%s %d %d\n", call, result, result < 0 ? errno : 0);
}

// Behind the order: what the program does with the signal, its number, the call.
static int signal_in_a_wait(void) {
  const char *what = chosen();
  int number = atoi(probe_arguments[4]);
  first_thread = (int)syscall(SYS_gettid);
  CHECK(pipe(pipe_ends) == 0 && sem_init(&handled, 0, 0) == 0 && sem_init(&posted, 0, 0) == 0);
  struct sigaction action = {.sa_handler = strcmp(what, "ignored") == 0 ? SIG_IGN : count_handled};
  if (strcmp(what, "handled") == 0) action.sa_flags = SA_RESTART;
  install_around(number, &action);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  if (strcmp(what, "blocked") == 0) CHECK(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, signal_beside_wait, (void *)(intptr_t)number) == 0);
  say_wait(probe_arguments[5]);
  // A wait that was broken off leaves the other thread without one to await.
  return 7;
}

// --- What is sent to a process whose threads all block it --------------------------------------------------------

#define WORKERS 3
static int wait_tids[WORKERS + 1];
static int signal_file;

static void *work(void *tid) {
  *(int *)tid = (int)syscall(SYS_gettid);
  pthread_barrier_wait(&both);
  int result = poll(NULL, 0, FOR_EVER_S * 1000);
  say("worker %d %d\n", result, errno);
  return NULL;
}

static void *take_signals(void *set) {
  wait_tids[WORKERS] = (int)syscall(SYS_gettid);
  pthread_barrier_wait(&both);
  for (siginfo_t info;;) {
    struct signalfd_siginfo read_info;
    if (signal_file < 0) {
      int number = sigwaitinfo(set, &info);
      say("taken %d code %d own %d\n", number, info.si_code, info.si_pid == getpid());
    } else {
      CHECK(read(signal_file, &read_info, sizeof read_info) == sizeof read_info);
      say("read %d code %d\n", (int)read_info.ssi_signo, read_info.ssi_code);
    }
    sem_post(&handled);
  }
}

// Behind the order: how it is taken, and its number.
static int sent_to_blocking_threads(void) {
  bool by_file = strcmp(chosen(), "signalfd") == 0;
  int number = atoi(probe_arguments[4]);
  sigset_t set;
  install_crashkit();
  sigemptyset(&set);
  sigaddset(&set, number);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && sem_init(&handled, 0, 0) == 0);
  signal_file = by_file ? signalfd(-1, &set, SFD_CLOEXEC) : -1;
  CHECK(pthread_barrier_init(&both, NULL, WORKERS + 2) == 0);
  for (int i = 0; i <= WORKERS; ++i) {
    pthread_t thread;
    void *argument = i < WORKERS ? (void *)&wait_tids[i] : (void *)&set;
    CHECK(pthread_create(&thread, NULL, i < WORKERS ? work : take_signals, argument) == 0);
  }
  pthread_barrier_wait(&both);
  for (int i = 0; i <= WORKERS; ++i) await_sleep_of(getpid(), wait_tids[i]);
  for (int i = 0; i < 3; ++i) {
    struct timespec limit;
    CHECK(kill(getpid(), number) == 0);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 5;
    if (sem_timedwait(&handled, &limit) != 0) say("lost\n");
  }
  return 7;
}

const probe interruption_probes[] = {
    {"signal-in-a-wait", signal_in_a_wait},
    {"sent-to-blocking-threads", sent_to_blocking_threads},
    {"exit-beside-wait", exit_beside_wait},
    {"exit-at-once-beside-wait", exit_at_once_beside_wait},
    {"exit-quickly-beside-wait", exit_quickly_beside_wait},
    {"exit-needs-other-thread", exit_needs_other_thread},
    {NULL, NULL},
};
