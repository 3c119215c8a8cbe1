// Times pairs of lock and unlock, and prints "name nanoseconds" a line: the best of several runs, by the clock of the
// process's own processor time. A second thread exists throughout, since glibc takes a shorter way without one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t start;
static long rounds;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define RUNS 15
#define TIME(name, ...)                                                          \
  do {                                                                           \
    double best = 1e18;                                                          \
    for (int run = 0; run < RUNS; ++run) {                                       \
      double begun = now(CLOCK_PROCESS_CPUTIME_ID);                              \
      for (long i = 0; i < rounds; ++i) {                                        \
        __VA_ARGS__                                                              \
      }                                                                          \
      double spent = (now(CLOCK_PROCESS_CPUTIME_ID) - begun) / (double)rounds;   \
      if (spent < best) best = spent;                                            \
    }                                                                            \
    printf("%s %.2f\n", name, best);                                             \
  } while (0)

static void *contend(void *argument) {
  pthread_barrier_wait(&start);
  for (long i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
  }
  return argument;
}

static void *wait_for_ever(void *argument) {
  for (;;) pause();
  return argument;
}

static double contended(void) {
  double best = 1e18;
  for (int run = 0; run < RUNS / 3; ++run) {
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    double begun = now(CLOCK_MONOTONIC);
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, contend, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    double spent = (now(CLOCK_MONOTONIC) - begun) / (double)rounds / 2;
    if (spent < best) best = spent;
  }
  return best;
}

int main(int count, char **arguments) {
  rounds = count > 1 ? atol(arguments[1]) : 1000000;
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_ever, NULL);
  TIME("pair", pthread_mutex_lock(&outer); pthread_mutex_unlock(&outer););
  TIME("nested", pthread_mutex_lock(&outer); pthread_mutex_lock(&inner); pthread_mutex_unlock(&inner);
       pthread_mutex_unlock(&outer););
  TIME("read", pthread_rwlock_rdlock(&shared); pthread_rwlock_unlock(&shared););
  TIME("write", pthread_rwlock_wrlock(&shared); pthread_rwlock_unlock(&shared););
  printf("contended %.2f\n", contended());
}
