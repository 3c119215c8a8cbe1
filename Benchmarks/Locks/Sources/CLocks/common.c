#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "locks.h"

struct locks_size locks_size_of(const char *name) {
  if (strcmp(name, "slow") == 0) return (struct locks_size){2000, 5, 20000};
  if (strcmp(name, "quick") == 0) return (struct locks_size){2000, 20, 20000};
  return (struct locks_size){10000, 300, 200000};
}

// By the clock: rounds are so short that some are undisturbed. A process's own time goes back and forth where the
// machine is a virtual one that has to wait for its processor.
double locks_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void locks_print(const char *row, double value) {
  printf("%s %.2f\n", row, value);
  fflush(stdout);
}

static void *sleep_for_ever(void *argument) {
  for (;;) pause();
  return argument;
}

void locks_be_threaded(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleep_for_ever, NULL);
}

double locks_memory(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

// --- Two threads ---------------------------------------------------------------------------------------------------

static pthread_barrier_t start;
static long pairs, steps;
static void (*take_it)(void), (*give_it_back)(void);

static void spin(long count) {
  for (volatile long i = 0; i < count; ++i) continue;
}

struct span {
  double begun, ended;
};

static void *contend(void *argument) {
  struct span *own = argument;
  pthread_barrier_wait(&start);
  own->begun = locks_now();
  for (long i = 0; i < pairs; ++i) {
    take_it();
    spin(steps);
    give_it_back();
    spin(steps);
  }
  own->ended = locks_now();
  return argument;
}

static double step_ns(void) {
  double best = 1e18;
  for (int i = 0; i < 20; ++i) {
    double begun = locks_now();
    spin(100000);
    double spent = (locks_now() - begun) / 100000;
    if (spent < best) best = spent;
  }
  return best;
}

double locks_contended(struct locks_size size, double work, void (*take)(void), void (*give_back)(void)) {
  pairs = size.pairs;
  steps = (long)(work / step_ns());
  take_it = take;
  give_it_back = give_back;
  double best = 1e18;
  for (long round = 0; round < size.rounds / 5 + 1; ++round) {
    pthread_t threads[2];
    struct span spans[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, contend, &spans[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    double begun = spans[0].begun < spans[1].begun ? spans[0].begun : spans[1].begun;
    double ended = spans[0].ended > spans[1].ended ? spans[0].ended : spans[1].ended;
    double spent = (ended - begun) / (double)pairs / 2;
    if (spent < best) best = spent;
  }
  return best;
}
