// Two thousand locks in pairs at random, always the lower one first: an order of two million edges, and none wrong.

#include "quiet.h"

enum { LOCKS = 2000, PAIRS = 500000 };

static pthread_mutex_t locks[LOCKS];

int main(void) {
  unsigned long random = 88172645463325252;
  for (int i = 0; i < LOCKS; i++) MUST(pthread_mutex_init(&locks[i], NULL));
  for (int i = 0; i < PAIRS; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    unsigned one = (unsigned)(random >> 8) % LOCKS, other = (unsigned)(random >> 32) % LOCKS;
    if (one == other) continue;
    lock(&locks[one < other ? one : other]);
    lock(&locks[one < other ? other : one]);
    unlock(&locks[one]);
    unlock(&locks[other]);
  }
  puts("done");
}
