// Mutexes that lend their owner the priority of those who wait, fought over by four threads; one of them also nested.

#include "quiet.h"

enum { ROUNDS = 20000, THREADS = 4 };

static pthread_mutex_t outer, inner;
static unsigned long sum;

static void *work(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    lock(&outer);
    lock(&inner);
    sum++;
    unlock(&inner);
    unlock(&outer);
  }
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_mutexattr_t attributes;
  MUST(pthread_mutexattr_init(&attributes));
  MUST(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
  MUST(pthread_mutex_init(&outer, &attributes));
  MUST(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
  MUST(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  MUST(pthread_mutex_init(&inner, &attributes));
  for (int i = 0; i < THREADS; i++) MUST(pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < THREADS; i++) MUST(pthread_join(threads[i], NULL));
  MUST(pthread_mutex_destroy(&inner));
  MUST(pthread_mutex_destroy(&outer));
  printf("%lu\n", sum);
}
