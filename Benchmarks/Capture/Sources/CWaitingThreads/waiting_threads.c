// Threads with a known number of frames, waiting in the kernel as a server's threads do.

#define _GNU_SOURCE
#include "CWaitingThreads.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { max_threads = 16384, stack_bytes = 256 << 10 };

static int ids[max_threads];
static atomic_uint started;
static sem_t ready;

// Not inlined and with work after the call, so that every level keeps its frame when optimised.
__attribute__((noinline)) static int descend(unsigned depth, int (*at_bottom)(void *), void *context) {
  int result = depth > 1 ? descend(depth - 1, at_bottom, context) : at_bottom(context);
  __asm__ volatile("" : "+r"(result));
  return result;
}

static int wait_for_ever(void *context) {
  (void)context;
  ids[atomic_fetch_add(&started, 1)] = gettid();
  sem_post(&ready);
  for (;;) poll(NULL, 0, -1);
}

static void *thread_main(void *depth) {
  descend((unsigned)(unsigned long)depth, wait_for_ever, NULL);
  return NULL;
}

int waiting_threads_start(unsigned count, unsigned depth) {
  if (count + atomic_load(&started) > max_threads) return EINVAL;
  sem_init(&ready, 0, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  for (unsigned i = 0; i < count; i++) {
    pthread_t thread;
    int error = pthread_create(&thread, &attributes, thread_main, (void *)(unsigned long)depth);
    if (error) return error;
  }
  pthread_attr_destroy(&attributes);
  for (unsigned i = 0; i < count; i++)
    while (sem_wait(&ready) != 0 && errno == EINTR) {
    }
  return 0;
}

const int *waiting_threads_ids(unsigned *count) {
  *count = atomic_load(&started);
  return ids;
}

static int write_to_zero(void *mark) {
  ((void (*)(void))mark)();
  *(volatile int *)0 = 1;
  abort();
}

_Noreturn void waiting_threads_crash(unsigned depth, void (*mark)(void)) {
  descend(depth, write_to_zero, (void *)mark);
  abort();
}

static pthread_barrier_t together;

static int write_to_zero_together(void *mark) {
  if (pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD) ((void (*)(void))mark)();
  // Nobody crashes before the mark is made.
  pthread_barrier_wait(&together);
  *(volatile int *)0 = 1;
  abort();
}

struct crash {
  unsigned depth;
  void (*mark)(void);
};

static void *crashing_thread_main(void *argument) {
  const struct crash *crash = argument;
  descend(crash->depth, write_to_zero_together, (void *)crash->mark);
  return NULL;
}

void waiting_threads_crash_together(unsigned count, unsigned depth, void (*mark)(void)) {
  static struct crash crash;
  crash = (struct crash){depth, mark};
  if (pthread_barrier_init(&together, NULL, count) != 0) return;
  for (unsigned i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, crashing_thread_main, &crash) != 0) return;
  }
  for (;;) poll(NULL, 0, -1);
}
