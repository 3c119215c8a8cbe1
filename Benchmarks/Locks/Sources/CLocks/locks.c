// Times pairs of lock and unlock: the best of several rounds.

#include <pthread.h>
#include <stdlib.h>

#include "locks.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

#define TIME(name, ...)                                          \
  do {                                                           \
    double best = 1e18;                                          \
    for (long round = 0; round < size.rounds; ++round) {         \
      double begun = locks_now();                                \
      for (long i = 0; i < size.pairs; ++i) {                    \
        __VA_ARGS__                                              \
      }                                                          \
      double spent = (locks_now() - begun) / (double)size.pairs; \
      if (spent < best) best = spent;                            \
    }                                                            \
    locks_print(name, best);                                     \
  } while (0)

static void take(void) { pthread_mutex_lock(&outer); }
static void give_back(void) { pthread_mutex_unlock(&outer); }

// What each lock costs in memory: taken alone, then each while another is held.
static void weigh(long count) {
  pthread_mutex_t *locks = malloc((size_t)count * sizeof *locks);
  for (long i = 0; i < count; ++i) pthread_mutex_init(&locks[i], NULL);
  double before = locks_memory();
  for (long i = 0; i < count; ++i) {
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_unlock(&locks[i]);
  }
  double alone = locks_memory();
  for (long i = 0; i < count; ++i) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_unlock(&locks[i]);
    pthread_mutex_unlock(&outer);
  }
  locks_print("bytes-alone", (alone - before) / (double)count);
  locks_print("bytes-nested", (locks_memory() - before) / (double)count);
  for (long i = 0; i < count; ++i) pthread_mutex_destroy(&locks[i]);
  free(locks);
}

void locks_run(struct locks_size size) {
  locks_be_threaded();
  TIME("pair", pthread_mutex_lock(&outer); pthread_mutex_unlock(&outer););
  TIME("nested", pthread_mutex_lock(&outer); pthread_mutex_lock(&inner); pthread_mutex_unlock(&inner);
       pthread_mutex_unlock(&outer););
  TIME("read", pthread_rwlock_rdlock(&shared); pthread_rwlock_unlock(&shared););
  TIME("write", pthread_rwlock_wrlock(&shared); pthread_rwlock_unlock(&shared););
  locks_print("contended", locks_contended(size, 100, take, give_back));
  locks_print("contended-empty", locks_contended(size, 0, take, give_back));
  weigh(size.locks);
}
