// Crashes beside 64 threads of 45 frames each.

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { THREADS = 64, FRAMES = 45 };

static pthread_barrier_t all_wait;

static int descend(int frames) {
  if (frames > 0) return descend(frames - 1) + 1;
  pthread_barrier_wait(&all_wait);
  for (;;) pause();
}

static void *run(void *argument) {
  descend(FRAMES);
  return argument;
}

int main(void) {
  pthread_barrier_init(&all_wait, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL)) return 1;
  }
  pthread_barrier_wait(&all_wait);
  *(volatile int *)NULL = 0;
  return 0;
}
