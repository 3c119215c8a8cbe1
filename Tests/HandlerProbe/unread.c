// A crash whose report is longer than what a pipe that nobody reads has room for.

#include <pthread.h>

#include "probe.h"

#define THREADS 5

static pthread_barrier_t all_there;

static void *wait_for_ever(void *unused) {
  (void)unused;
  pthread_barrier_wait(&all_there);
  for (;;) pause();
}

static int five_threads(void) {
  install_crashkit();
  CHECK(pthread_barrier_init(&all_there, NULL, THREADS) == 0);
  pthread_t thread;
  for (int i = 1; i < THREADS; ++i) CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
  pthread_barrier_wait(&all_there);
  store((char *)8);
  return 7;
}

const probe unread_probes[] = {{"unread-five-threads", five_threads}, {NULL, NULL}};
