// Scheduling noise: what it does, and what it brings about.

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "perturb.h"
#include "probe.h"

#define THREADS 6
#define ROUNDS 300
#define UPDATES 400

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static struct ctg_perturbed noise[THREADS];

// All want the same lock, so that waits differ from run to run; and errno is not what anybody else sets.
static void *lock_and_unlock(void *place) {
  errno = 4711;
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&shared);
    pthread_mutex_unlock(&shared);
  }
  if (errno != 4711) exit(1);
  *(struct ctg_perturbed *)place = ctg_perturbed_thread();
  return NULL;
}

void show_noise(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, lock_and_unlock, &noise[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i)
    fprintf(stderr, "%u %lu %016lx\n", noise[i].thread, (unsigned long)noise[i].steps, (unsigned long)noise[i].digest);
}

// --- A race that needs luck ------------------------------------------------------------------------------------

static int account;

// Each access has the lock, and the update has not: lost, if the other thread comes in between.
static void *pay_in(void *unused) {
  pthread_mutex_lock(&shared);
  int before = account;
  pthread_mutex_unlock(&shared);
  pthread_mutex_lock(&shared);
  account = before + 1;
  pthread_mutex_unlock(&shared);
  return unused;
}

void lose_updates(void) {
  int lost = 0;
  for (int i = 0; i < UPDATES; ++i) {
    account = 0;
    pthread_t threads[2];
    for (int k = 0; k < 2; ++k) pthread_create(&threads[k], NULL, pay_in, NULL);
    for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
    lost += account != 2;
  }
  fprintf(stderr, "%d lost\n", lost);
}

// --- Signal handlers -------------------------------------------------------------------------------------------

static _Atomic int pauses_in_handler;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

static void on_signal(int number) {
  (void)number;
  long before = switches();
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
  pauses_in_handler += switches() != before;
}

void lock_in_handler(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 20; ++i) raise(SIGUSR1);
  long before = switches();
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
  fprintf(stderr, "%d handlers slept, %s\n", pauses_in_handler,
          switches() > before ? "the program did" : "nor did the program");
}
