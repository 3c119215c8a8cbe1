// Threads that wait in a call while a signal of a fault comes: what the program did not ask for ends no wait.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
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

// Until the kernel has that thread asleep in a call. It is in no other one that sleeps.
static void await_wait_of(int thread) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  for (;; sched_yield()) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0);
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size > 0 && text[0] != 'r') return;
  }
}

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
  await_wait_of(first_thread);
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

const probe interruption_probes[] = {
    {"exit-beside-wait", exit_beside_wait},
    {"exit-at-once-beside-wait", exit_at_once_beside_wait},
    {"exit-quickly-beside-wait", exit_quickly_beside_wait},
    {"exit-needs-other-thread", exit_needs_other_thread},
    {NULL, NULL},
};
