// The shapes of a deadlock detector's stress test: many locks, many orders, few of them wrong.

#include <stdlib.h>

#include "scenarios.h"

enum { MANY = 4096, ROUNDS = 20000, RING = 45 };

static pthread_mutex_t locks[500];
static pthread_rwlock_t rwlocks[500];

static void make(int kind) {
  pthread_mutexattr_t attributes;
  MUST(pthread_mutexattr_init(&attributes));
  MUST(pthread_mutexattr_settype(&attributes, kind));
  for (size_t i = 0; i < 500; i++) {
    MUST(pthread_mutex_init(&locks[i], &attributes));
    MUST(pthread_rwlock_init(&rwlocks[i], NULL));
  }
}

static void lock(size_t i) { MUST(pthread_mutex_lock(&locks[i])); }
static void try(size_t i) { MUST(pthread_mutex_trylock(&locks[i])); }
static void unlock(size_t i) { MUST(pthread_mutex_unlock(&locks[i])); }
static void two(size_t first, size_t second) { lock_both(&locks[first], &locks[second]); }
static void read_lock(size_t i) { MUST(pthread_rwlock_rdlock(&rwlocks[i])); }
static void write_lock(size_t i) { MUST(pthread_rwlock_wrlock(&rwlocks[i])); }
static void release(size_t i) { MUST(pthread_rwlock_unlock(&rwlocks[i])); }

static void zero_one(void) { two(0, 1); }
static void one_zero(void) { two(1, 0); }

static void two_locks(void) {
  make(PTHREAD_MUTEX_NORMAL);
  zero_one();
  one_zero();
}

static void three_locks(void) {
  make(PTHREAD_MUTEX_NORMAL);
  two(0, 1);
  two(1, 2);
  two(2, 0);
}

static void many_made(int used) {
  static pthread_mutex_t many[MANY];
  for (size_t i = 0; i < MANY; i++) {
    MUST(pthread_mutex_init(&many[i], NULL));
    if (used) {
      MUST(pthread_mutex_lock(&many[i]));
      MUST(pthread_mutex_unlock(&many[i]));
    }
  }
  for (size_t i = 0; i < MANY; i++) MUST(pthread_mutex_destroy(&many[i]));
}

static void many_between(int used) {
  make(PTHREAD_MUTEX_NORMAL);
  zero_one();
  lock(2);
  many_made(used);
  unlock(2);
  one_zero();
}

static void unused_locks_between(void) { many_between(0); }
static void used_locks_between(void) { many_between(1); }

static void two_threads(void) {
  make(PTHREAD_MUTEX_NORMAL);
  IN_TURN(zero_one, one_zero);
}

static void loop_on(size_t i) {
  for (int round = 0; round < ROUNDS; round++) {
    lock(i);
    unlock(i);
  }
}

static void loop_0(void) { loop_on(0); }
static void loop_10(void) { loop_on(10); }
static void loop_20(void) { loop_on(20); }

static void private_locks(void) {
  make(PTHREAD_MUTEX_NORMAL);
  TOGETHER(loop_0, loop_10, loop_20);
}

static void taken_by_try(void) {
  make(PTHREAD_MUTEX_NORMAL);
  // No cycle: a try waits for nobody.
  lock(0), try(1), unlock(1), unlock(0);
  try(1), lock(0), unlock(1), unlock(0);
  try(2), lock(3), unlock(3), unlock(2);
  lock(3), try(2), unlock(3), unlock(2);
  // Two cycles: what was taken by a try is held like everything else.
  try(4), lock(5), unlock(4), unlock(5);
  lock(5), lock(4), unlock(4), unlock(5);
  lock(7), lock(6), unlock(6), unlock(7);
  try(6), lock(7), unlock(6), unlock(7);
}

static void readers_on_either_side(void) {
  make(PTHREAD_MUTEX_NORMAL);
  read_lock(0), write_lock(1), release(0), release(1);
  write_lock(1), read_lock(0), release(0), release(1);
  read_lock(2), read_lock(3), release(2), release(3);
  read_lock(3), read_lock(2), release(2), release(3);
}

static void recursive_locks(void) {
  make(PTHREAD_MUTEX_RECURSIVE);
  lock(0), lock(0), lock(0), lock(1), unlock(1), unlock(0), unlock(0), unlock(0);
  lock(1), lock(1), lock(1), lock(0), unlock(0), unlock(1), unlock(1), unlock(1);
}

static void nested(size_t first) {
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < 4; i++) lock(first + i);
    for (size_t i = 4; i-- > 0;) unlock(first + i);
  }
}

static void nested_0(void) { nested(0); }
static void nested_10(void) { nested(10); }
static void nested_20(void) { nested(20); }
static void nested_30(void) { nested(30); }

static void private_locks_nested(void) {
  make(PTHREAD_MUTEX_NORMAL);
  TOGETHER(nested_0, nested_10, nested_20, nested_30);
}

static void below(size_t outer) {
  for (int round = 0; round < ROUNDS; round++) {
    lock(outer);
    for (size_t i = 100; i < 500; i += 100) {
      lock(outer + i);
      unlock(outer + i);
    }
    unlock(outer);
  }
}

static void below_0(void) { below(0); }
static void below_10(void) { below(10); }
static void below_20(void) { below(20); }
static void below_30(void) { below(30); }

static void private_locks_below_another(void) {
  make(PTHREAD_MUTEX_NORMAL);
  TOGETHER(below_0, below_10, below_20, below_30);
}

static void read_nested(void) {
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < 400; i += 100) read_lock(i);
    for (size_t i = 0; i < 400; i += 100) release(300 - i);
  }
}

static void shared_readers_nested(void) {
  make(PTHREAD_MUTEX_NORMAL);
  TOGETHER(read_nested, read_nested, read_nested, read_nested);
}

static void read_below(void) {
  for (int round = 0; round < ROUNDS; round++) {
    read_lock(0);
    for (size_t i = 100; i < 500; i += 100) {
      read_lock(i);
      release(i);
    }
    release(0);
  }
}

static void shared_readers_below_another(void) {
  make(PTHREAD_MUTEX_NORMAL);
  TOGETHER(read_below, read_below, read_below, read_below);
}

static void make_and_destroy(void) {
  for (int round = 0; round < ROUNDS; round++) {
    pthread_mutex_t some[10];
    for (size_t i = 0; i < 10; i++) MUST(pthread_mutex_init(&some[i], NULL));
    for (size_t i = 0; i < 10; i++) MUST(pthread_mutex_destroy(&some[i]));
  }
}

static void locks_made_and_destroyed(void) {
  TOGETHER(make_and_destroy, make_and_destroy, make_and_destroy, make_and_destroy);
}

static void read_again(void) {
  make(PTHREAD_MUTEX_NORMAL);
  read_lock(0), read_lock(0), release(0), release(0);
  read_lock(0), read_lock(0), read_lock(0), release(0), release(0), release(0);
}

// Functions of their own, so that the stacks of each edge can be told apart.
#define APART __attribute__((noinline)) static void
APART take_zero(void) { lock(0); }
APART take_one(void) { lock(1); }
APART take_two(void) { lock(2); }
APART take_zero_then_one(void) { take_zero(), take_one(), unlock(0), unlock(1); }
APART take_one_then_zero(void) { take_one(), take_zero(), unlock(0), unlock(1); }
APART take_one_then_two(void) { take_one(), take_two(), unlock(1), unlock(2); }
APART take_two_then_zero(void) { take_two(), take_zero(), unlock(0), unlock(2); }

static void stacks_of_two(void) {
  make(PTHREAD_MUTEX_NORMAL);
  take_zero_then_one();
  take_one_then_zero();
}

static void stacks_of_three(void) {
  make(PTHREAD_MUTEX_NORMAL);
  take_zero_then_one();
  take_one_then_two();
  take_two_then_zero();
}

static void make_use_destroy(void) {
  for (int round = 0; round < ROUNDS / 100; round++) {
    pthread_mutex_t some[4];
    for (size_t i = 0; i < 4; i++) MUST(pthread_mutex_init(&some[i], NULL));
    for (size_t i = 0; i < 4; i++) MUST(pthread_mutex_lock(&some[i]));
    for (size_t i = 0; i < 4; i++) MUST(pthread_mutex_unlock(&some[i]));
    for (size_t i = 0; i < 4; i++) MUST(pthread_mutex_destroy(&some[i]));
  }
}

static void locks_made_used_and_destroyed(void) {
  TOGETHER(make_use_destroy, make_use_destroy, make_use_destroy, make_use_destroy);
}

// Each lock is taken before each other one, and after it.
static void every_order(void) {
  make(PTHREAD_MUTEX_NORMAL);
  for (size_t start = 0; start < RING; start++) {
    for (size_t i = 0; i < RING; i++) lock((start + i) % RING);
    for (size_t i = 0; i < RING; i++) unlock((start + i) % RING);
  }
}

const struct scenario stress_scenarios[] = {
    {"stress/two-locks", two_locks},
    {"stress/three-locks", three_locks},
    {"stress/unused-locks-between", unused_locks_between},
    {"stress/used-locks-between", used_locks_between},
    {"stress/two-threads", two_threads},
    {"stress/private-locks", private_locks},
    {"stress/taken-by-try", taken_by_try},
    {"stress/readers-on-either-side", readers_on_either_side},
    {"stress/recursive-locks", recursive_locks},
    {"stress/private-locks-nested", private_locks_nested},
    {"stress/private-locks-below-another", private_locks_below_another},
    {"stress/shared-readers-nested", shared_readers_nested},
    {"stress/shared-readers-below-another", shared_readers_below_another},
    {"stress/locks-made-and-destroyed", locks_made_and_destroyed},
    {"stress/read-again", read_again},
    {"stress/stacks-of-two", stacks_of_two},
    {"stress/stacks-of-three", stacks_of_three},
    {"stress/locks-made-used-and-destroyed", locks_made_used_and_destroyed},
    {"stress/every-order", every_order},
    {0},
};
