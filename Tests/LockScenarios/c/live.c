// Deadlocks that happen: none of these returns.

#include <semaphore.h>
#include <stdlib.h>

#include "scenarios.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t all_hold_one;
static sem_t semaphore;

static void self_deadlock(void) {
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_lock(&a));
}

static void self_deadlock_on_a_spinlock(void) {
  MUST(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
  MUST(pthread_spin_lock(&spin));
  MUST(pthread_spin_lock(&spin));
}

static void reader_becomes_writer(void) {
  MUST(pthread_rwlock_rdlock(&rwlock));
  MUST(pthread_rwlock_wrlock(&rwlock));
}

static void hold_one_lock_another(pthread_mutex_t *held, pthread_mutex_t *wanted) {
  MUST(pthread_mutex_lock(held));
  (void)pthread_barrier_wait(&all_hold_one);
  MUST(pthread_mutex_lock(wanted));
}

static void hold_a_lock_b(void) { hold_one_lock_another(&a, &b); }
static void hold_b_lock_a(void) { hold_one_lock_another(&b, &a); }
static void hold_b_lock_c(void) { hold_one_lock_another(&b, &c); }
static void hold_c_lock_a(void) { hold_one_lock_another(&c, &a); }

static void two_threads(void) {
  MUST(pthread_barrier_init(&all_hold_one, NULL, 2));
  TOGETHER(hold_a_lock_b, hold_b_lock_a);
}

static void three_threads(void) {
  MUST(pthread_barrier_init(&all_hold_one, NULL, 3));
  TOGETHER(hold_a_lock_b, hold_b_lock_c, hold_c_lock_a);
}

static void read_lock_a(void) {
  MUST(pthread_rwlock_rdlock(&rwlock));
  (void)pthread_barrier_wait(&all_hold_one);
  MUST(pthread_mutex_lock(&a));
}

static void hold_a_write(void) {
  MUST(pthread_mutex_lock(&a));
  (void)pthread_barrier_wait(&all_hold_one);
  MUST(pthread_rwlock_wrlock(&rwlock));
}

static void reader_and_writer(void) {
  MUST(pthread_barrier_init(&all_hold_one, NULL, 2));
  TOGETHER(read_lock_a, hold_a_write);
}

static void *hold_a_end(void *unused) {
  MUST(pthread_mutex_lock(&a));
  return unused;
}

// Nobody is left who could release it.
static void owner_has_ended(void) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, hold_a_end, NULL));
  MUST(pthread_join(thread, NULL));
  MUST(pthread_mutex_lock(&a));
}

static void *lock_a(void *unused) {
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_unlock(&a));
  return unused;
}

// It waits for a thread that waits for its lock.
static void join_under_lock(void) {
  pthread_t thread;
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_create(&thread, NULL, lock_a, NULL));
  MUST(pthread_join(thread, NULL));
}

static void wait_under_a(void) {
  MUST(pthread_mutex_lock(&a));
  (void)pthread_barrier_wait(&all_hold_one);
  while (sem_wait(&semaphore)) {
  }
}

static void post_under_a(void) {
  (void)pthread_barrier_wait(&all_hold_one);
  MUST(pthread_mutex_lock(&a));
  (void)sem_post(&semaphore);
}

static void semaphore_whose_poster_waits(void) {
  (void)sem_init(&semaphore, 0, 0);
  MUST(pthread_barrier_init(&all_hold_one, NULL, 2));
  TOGETHER(wait_under_a, post_under_a);
}

const struct scenario live_scenarios[] = {
    {"self-deadlock", self_deadlock},
    {"self-deadlock-on-a-spinlock", self_deadlock_on_a_spinlock},
    {"reader-becomes-writer", reader_becomes_writer},
    {"deadlock-of-two-threads", two_threads},
    {"deadlock-of-three-threads", three_threads},
    {"deadlock-of-reader-and-writer", reader_and_writer},
    {"owner-has-ended", owner_has_ended},
    {"join-under-lock", join_under_lock},
    {"semaphore-whose-poster-waits", semaphore_whose_poster_waits},
    {0},
};
