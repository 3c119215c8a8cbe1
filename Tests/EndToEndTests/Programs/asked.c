// Waits until its input ends, with all signals blocked and its own handler for SIGSYS. Beside it a thread allocates,
// one forks, and one sleeps. Prints its number at first, and at the end what its threads noticed.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int broken_off, handled, failed, is_ending;

static void on_signal(int signal) {
  (void)signal;
  atomic_fetch_add(&handled, 1);
}

static void *allocate(void *unused) {
  while (!atomic_load(&is_ending)) free(malloc((size_t)rand() % 10000));
  return unused;
}

static void *fork_often(void *unused) {
  while (!atomic_load(&is_ending)) {
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
      atomic_fetch_add(&failed, 1);
  }
  return unused;
}

static void *sleep_often(void *unused) {
  while (!atomic_load(&is_ending)) {
    struct timespec time = {.tv_nsec = 1000000};
    if (nanosleep(&time, NULL) != 0) atomic_fetch_add(&broken_off, 1);
  }
  return unused;
}

__attribute__((noinline)) static void wait_for_input(void) {
  int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(set, EPOLL_CTL_ADD, 0, &event);
  while (epoll_wait(set, &event, 1, -1) < 0) atomic_fetch_add(errno == EINTR ? &broken_off : &failed, 1);
  __asm__ volatile("");
}

int main(void) {
  signal(SIGSYS, on_signal);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  void *(*const beside[])(void *) = {allocate, fork_often, sleep_often};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, beside[i], NULL);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  wait_for_input();
  atomic_store(&is_ending, 1);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("broken off: %d, handled: %d, failed: %d\n", broken_off, handled, failed);
  return 0;
}
