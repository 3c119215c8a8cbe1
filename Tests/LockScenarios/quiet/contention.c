// Counters under every kind of lock, fought over by four threads: each is exact in the end.

#include <semaphore.h>

#include "quiet.h"

enum { ROUNDS = 20000, THREADS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t of_turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static unsigned long by_mutex, by_adaptive, by_rwlock, by_spin, by_semaphore, by_try, read_wrong, turn;

static void *work(void *argument) {
  unsigned long own = (unsigned long)argument;
  for (int i = 0; i < ROUNDS; i++) {
    lock(&mutex), by_mutex++, unlock(&mutex);
    lock(&adaptive), by_adaptive++, unlock(&adaptive);
    MUST(pthread_rwlock_wrlock(&rwlock)), by_rwlock++, MUST(pthread_rwlock_unlock(&rwlock));
    MUST(pthread_rwlock_rdlock(&rwlock));
    unsigned long seen = by_rwlock;
    read_wrong += seen != by_rwlock;
    MUST(pthread_rwlock_unlock(&rwlock));
    MUST(pthread_spin_lock(&spin)), by_spin++, MUST(pthread_spin_unlock(&spin));
    while (sem_wait(&semaphore)) {
    }
    by_semaphore++;
    HOLDS(sem_post(&semaphore) == 0);
    while (pthread_mutex_trylock(&mutex)) sched_yield();
    by_try++;
    unlock(&mutex);
    if (i % 20 == 0) {
      lock(&of_turn);
      while (turn % THREADS != own) MUST(pthread_cond_wait(&next, &of_turn));
      turn++;
      MUST(pthread_cond_broadcast(&next));
      unlock(&of_turn);
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  MUST(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
  HOLDS(sem_init(&semaphore, 0, 1) == 0);
  for (unsigned long i = 0; i < THREADS; i++) MUST(pthread_create(&threads[i], NULL, work, (void *)i));
  for (int i = 0; i < THREADS; i++) MUST(pthread_join(threads[i], NULL));
  printf("%lu %lu %lu %lu %lu %lu %lu %lu\n", by_mutex, by_adaptive, by_rwlock, by_spin, by_semaphore, by_try, turn,
         read_wrong);
}
