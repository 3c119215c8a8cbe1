// A thousand locks held at once, in one order, by four threads.

#include "quiet.h"

enum { LOCKS = 1000, ROUNDS = 20, THREADS = 4 };

static pthread_mutex_t locks[LOCKS];
static int rounds;

static void *work(void *unused) {
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < LOCKS; i++) lock(&locks[i]);
    rounds++;
    for (int i = LOCKS; i-- > 0;) unlock(&locks[i]);
  }
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < LOCKS; i++) MUST(pthread_mutex_init(&locks[i], NULL));
  for (int i = 0; i < THREADS; i++) MUST(pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < THREADS; i++) MUST(pthread_join(threads[i], NULL));
  printf("%d\n", rounds);
}
