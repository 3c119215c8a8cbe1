// Threads that take the same locks ThreadGuard's way and glibc's own, at the same time.

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ground/libc_functions.h"
#include "ground/slow_path.h"
#include "probe.h"

#define THREADS 4
#define ROUNDS 10000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
// Plain memory: what the locks do not keep apart goes wrong.
static long count, first, second, turns;
static _Atomic bool is_torn;

static void expect(bool is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "%s\n", what);
  _Exit(1);
}

static struct timespec in_a_minute(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 60;
  return time;
}

// Now and then in the midst of things, so that others meet it.
static void let_others(unsigned way) {
  if (way % 16 == 0) sched_yield();
}

static void take_mutex(unsigned way) {
  struct timespec limit = in_a_minute();
  switch (way % 4) {
    case 0: ctg_real.mutex_lock(&mutex); break;
    case 1:
      while (pthread_mutex_trylock(&mutex) != 0) continue;
      break;
    case 2: pthread_mutex_timedlock(&mutex, &limit); break;
    default: pthread_mutex_lock(&mutex);
  }
  long before = count;
  let_others(way >> 4);
  count = before + 1;
  if (way % 4 == 0)
    ctg_real.mutex_unlock(&mutex);
  else
    pthread_mutex_unlock(&mutex);
}

static void take_rwlock(unsigned way) {
  bool is_own = way % 3, writes = way % 5 == 0;
  if (writes)
    is_own ? pthread_rwlock_wrlock(&rwlock) : ctg_real.rwlock_wrlock(&rwlock);
  else
    is_own ? pthread_rwlock_rdlock(&rwlock) : ctg_real.rwlock_rdlock(&rwlock);
  if (writes) ++first;
  long seen = first;
  let_others(way >> 4);
  if (writes)
    ++second;
  else if (seen != second || first != second)
    is_torn = true;
  is_own ? pthread_rwlock_unlock(&rwlock) : ctg_real.rwlock_unlock(&rwlock);
}

static void *work(void *argument) {
  unsigned own = (unsigned)(size_t)argument, random = own + 1;
  for (unsigned round = 0; round < ROUNDS; ++round) {
    random = random * 1664525 + 1013904223;
    take_mutex(random >> 16);
    take_rwlock(random >> 8);
    // The last few rounds in turns: each thread waits for its own.
    if (round + 500 < ROUNDS) continue;
    pthread_mutex_lock(&mutex);
    while (turns % THREADS != own) pthread_cond_wait(&turned, &mutex);
    ++turns;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

static void exclude(void) {
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
  for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  expect(count == (long)THREADS * ROUNDS, "the mutex let two threads in");
  expect(!is_torn && first == second, "the read-write lock let a reader in while a writer wrote");
  const struct __pthread_mutex_s *left = &mutex.__data;
  expect(left->__lock == 0 && left->__owner == 0 && left->__nusers == 0, "the mutex is not left as glibc leaves it");
  expect(rwlock.__data.__readers <= 1 && rwlock.__data.__writers_futex == 0 && rwlock.__data.__cur_writer == 0,
         "the read-write lock is not left as glibc leaves it");
  expect(pthread_mutex_destroy(&mutex) == 0, "the mutex cannot be destroyed");
}

void exclude_by_own_steps(void) {
  expect(ctg_slow_path == 0, "free locks are taken by glibc's functions");
  exclude();
}

void exclude_by_glibc(void) {
  expect(ctg_slow_path & CTG_SLOW_LOCKS_ARE_UNKNOWN, "free locks are taken by ThreadGuard's own instructions");
  exclude();
}
