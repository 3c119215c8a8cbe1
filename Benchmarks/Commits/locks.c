// Two nested locks, five million times, beside a second thread, since glibc takes a shorter way without one.

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_ever(void *argument) {
  for (;;) pause();
  return argument;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_ever, NULL)) return 1;
  for (int i = 0; i < 5000000; ++i) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
  }
  return 0;
}
