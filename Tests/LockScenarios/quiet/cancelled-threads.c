// Threads that are cancelled as they wait for a condition, or that leave by pthread_exit: their cleanup releases what
// they hold, and the wait itself has taken its mutex again.

#include "quiet.h"

enum { TIMES = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, waiting = PTHREAD_COND_INITIALIZER;
static int waits, cleaned;

static void release(void *held) {
  cleaned++;
  unlock(held);
}

static void *wait_for_ever(void *unused) {
  lock(&mutex);
  pthread_cleanup_push(release, &mutex);
  waits = 1;
  MUST(pthread_cond_signal(&waiting));
  for (;;) MUST(pthread_cond_wait(&never, &mutex));
  pthread_cleanup_pop(1);
  return unused;
}

static void *leave(void *unused) {
  lock(&outer);
  pthread_cleanup_push(release, &outer);
  pthread_exit(unused);
  pthread_cleanup_pop(1);
}

int main(void) {
  for (int i = 0; i < TIMES; i++) {
    pthread_t thread;
    waits = 0;
    MUST(pthread_create(&thread, NULL, wait_for_ever, NULL));
    lock(&mutex);
    while (!waits) MUST(pthread_cond_wait(&waiting, &mutex));
    unlock(&mutex);
    MUST(pthread_cancel(thread));
    void *result;
    MUST(pthread_join(thread, &result));
    HOLDS(result == PTHREAD_CANCELED);
    MUST(pthread_create(&thread, NULL, leave, NULL));
    MUST(pthread_join(thread, NULL));
  }
  printf("%d\n", cleaned);
}
