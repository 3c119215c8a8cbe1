// 100,000 threads, one after another and eight at a time, each of which nests two locks.

#include "quiet.h"

enum { THREADS = 100000, AT_A_TIME = 8 };

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;

static void *work(void *unused) {
  lock(&outer);
  lock(&inner);
  count++;
  unlock(&inner);
  unlock(&outer);
  return unused;
}

int main(void) {
  for (int done = 0; done < THREADS; done += AT_A_TIME) {
    pthread_t threads[AT_A_TIME];
    for (int i = 0; i < AT_A_TIME; i++) MUST(pthread_create(&threads[i], NULL, work, NULL));
    for (int i = 0; i < AT_A_TIME; i++) MUST(pthread_join(threads[i], NULL));
  }
  printf("%lu\n", count);
}
