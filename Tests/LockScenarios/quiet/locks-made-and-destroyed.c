// A million mutexes and a million rwlocks, each used below another lock and destroyed; the same memory again and again,
// so that which of two addresses is taken first changes with every generation.

#include "quiet.h"

enum { GENERATIONS = 1000000 };

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  unsigned long count = 0;
  for (int i = 0; i < GENERATIONS; i++) {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    MUST(pthread_mutex_init(&mutex, NULL));
    MUST(pthread_rwlock_init(&rwlock, NULL));
    lock(&outer);
    if (i % 2) {
      lock(&mutex);
      MUST(pthread_rwlock_wrlock(&rwlock));
    } else {
      MUST(pthread_rwlock_rdlock(&rwlock));
      lock(&mutex);
    }
    count++;
    unlock(&mutex);
    MUST(pthread_rwlock_unlock(&rwlock));
    unlock(&outer);
    MUST(pthread_mutex_destroy(&mutex));
    MUST(pthread_rwlock_destroy(&rwlock));
  }
  printf("%lu\n", count);
}
