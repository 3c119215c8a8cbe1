// Fifty threads wait in different calls, each below a few functions; a byte on standard input makes the main thread
// crash. Prints "ready" once all of them are about to wait.

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { thread_count = 50 };

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, free_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t held_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t incomplete, all_started;
static sem_t empty;
static int silent_pipe[2], silent_sockets[2];
static struct timespec a_day = {.tv_sec = 86400};

static void in_poll(void) { poll(NULL, 0, -1); }
static void in_nanosleep(void) { nanosleep(&a_day, NULL); }
static void in_clock_nanosleep(void) { clock_nanosleep(CLOCK_MONOTONIC, 0, &a_day, NULL); }
static void in_sleep(void) { sleep(86400); }
static void in_sem_wait(void) { sem_wait(&empty); }
static void in_read(void) {
  if (read(silent_pipe[0], &(char){0}, 1) < 0) abort();
}
static void in_recv(void) { recv(silent_sockets[0], &(char){0}, 1, 0); }
static void in_select(void) { select(0, NULL, NULL, NULL, NULL); }
static void in_ppoll(void) { ppoll(NULL, 0, &a_day, NULL); }
static void in_epoll_wait(void) { epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, -1); }
static void in_mutex_lock(void) { pthread_mutex_lock(&held); }
static void in_rwlock_rdlock(void) { pthread_rwlock_rdlock(&held_lock); }
static void in_rwlock_wrlock(void) { pthread_rwlock_wrlock(&held_lock); }
static void in_barrier_wait(void) { pthread_barrier_wait(&incomplete); }
static void in_eventfd_read(void) { eventfd_read(eventfd(0, 0), &(eventfd_t){0}); }

static void in_cond_wait(void) {
  pthread_mutex_lock(&free_mutex);
  pthread_cond_wait(&never, &free_mutex);
}

static void in_cond_timedwait(void) {
  struct timespec later = {.tv_sec = time(NULL) + 86400};
  pthread_mutex_lock(&free_mutex);
  pthread_cond_timedwait(&never, &free_mutex, &later);
}

static void in_sigwait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  sigwait(&set, &(int){0});
}

static void in_accept(void) {
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  // An abstract name that the kernel chooses.
  struct sockaddr address = {.sa_family = AF_UNIX};
  bind(listener, &address, sizeof(sa_family_t));
  listen(listener, 1);
  accept(listener, NULL, NULL);
}

static int compare(const void *left, const void *right) {
  in_poll();
  return *(const int *)left - *(const int *)right;
}

// Frames of libc between two of the program's own.
static void in_qsort(void) {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof numbers[0], compare);
}

static void (*const waits[])(void) = {
    in_poll,       in_nanosleep,      in_clock_nanosleep, in_sleep,        in_sem_wait,
    in_read,       in_recv,           in_select,          in_ppoll,        in_epoll_wait,
    in_mutex_lock, in_rwlock_rdlock,  in_rwlock_wrlock,   in_barrier_wait, in_eventfd_read,
    in_cond_wait,  in_cond_timedwait, in_sigwait,         in_accept,       in_qsort,
};

__attribute__((noinline)) static int serve(unsigned depth, void (*wait_for_ever)(void)) {
  int result = 0;
  if (depth > 0)
    result = serve(depth - 1, wait_for_ever);
  else
    for (;;) wait_for_ever();
  __asm__ volatile("" : "+r"(result));
  return result;
}

static void *thread_main(void *argument) {
  unsigned number = (unsigned)(unsigned long)argument;
  pthread_barrier_wait(&all_started);
  serve(number % 7, waits[number % (sizeof waits / sizeof waits[0])]);
  return NULL;
}

int main(void) {
  pthread_mutex_lock(&held);
  pthread_rwlock_wrlock(&held_lock);
  pthread_barrier_init(&incomplete, NULL, 1000);
  pthread_barrier_init(&all_started, NULL, thread_count + 1);
  sem_init(&empty, 0, 0);
  if (pipe(silent_pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, silent_sockets)) return 74;
  for (unsigned long i = 0; i < thread_count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_main, (void *)i)) return 74;
  }
  pthread_barrier_wait(&all_started);
  puts("ready");
  fflush(stdout);
  while (read(STDIN_FILENO, &(char){0}, 1) < 0 && errno == EINTR) {
  }
  *(volatile int *)0 = 1;
}
