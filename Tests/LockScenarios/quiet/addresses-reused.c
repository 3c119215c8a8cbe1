// Locks on the heap that are freed without pthread_mutex_destroy, as many programs do, and whose memory serves others:
// in each generation they are taken in another order.

#include "quiet.h"

enum { GENERATIONS = 2000, LOCKS = 16 };

int main(void) {
  unsigned random = 1;
  for (int generation = 0; generation < GENERATIONS; generation++) {
    pthread_mutex_t *locks[LOCKS];
    int order[LOCKS];
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = malloc(sizeof **locks);
      MUST(pthread_mutex_init(locks[i], NULL));
      random = random * 1103515245 + 12345;
      int other = (int)(random >> 16) % (i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    for (int i = 0; i < LOCKS; i++) lock(locks[order[i]]);
    for (int i = LOCKS; i-- > 0;) unlock(locks[order[i]]);
    for (int i = 0; i < LOCKS; i++) free(locks[i]);
  }
  puts("done");
}
