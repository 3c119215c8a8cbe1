// A million mutexes that exist at the same time, each used alone and below another: more than any table holds.

#include "quiet.h"

enum { LOCKS = 1000000 };

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  pthread_mutex_t *locks = malloc(LOCKS * sizeof *locks);
  HOLDS(locks);
  for (int i = 0; i < LOCKS; i++) MUST(pthread_mutex_init(&locks[i], NULL));
  for (int i = 0; i < LOCKS; i++) {
    lock(&outer);
    lock(&locks[i]);
    unlock(&locks[i]);
    unlock(&outer);
  }
  for (int i = 0; i + 1 < LOCKS; i++) {
    lock(&locks[i]);
    lock(&locks[i + 1]);
    unlock(&locks[i + 1]);
    unlock(&locks[i]);
  }
  puts("all taken");
}
