// The order in which locks are taken: what can deadlock one day, and what only looks like it.

#include <stdlib.h>
#include <time.h>

#include "scenarios.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t reader_a = PTHREAD_RWLOCK_INITIALIZER, reader_b = PTHREAD_RWLOCK_INITIALIZER;

static void a_then_b(void) { lock_both(&a, &b); }
static void b_then_a(void) { lock_both(&b, &a); }
static void b_then_c(void) { lock_both(&b, &c); }
static void c_then_a(void) { lock_both(&c, &a); }
static void a_then_c(void) { lock_both(&a, &c); }

static void inversion_of_two(void) { IN_TURN(a_then_b, b_then_a); }
static void cycle_of_three(void) { IN_TURN(a_then_b, b_then_c, c_then_a); }
static void same_order(void) { IN_TURN(a_then_b, b_then_c, a_then_c, a_then_b); }

// The same mistake many times: it is one.
static void inversion_again_and_again(void) {
  for (int i = 0; i < 100; i++) inversion_of_two();
}

static void one_thread_inversion(void) {
  a_then_b();
  b_then_a();
}

// The second thread makes both orders, the first made one of them before: no thread meets itself.
static void inversion_within_one_thread_of_two(void) { IN_TURN(a_then_b, one_thread_inversion); }

static void gated_a_b(void) {
  MUST(pthread_mutex_lock(&gate));
  a_then_b();
  MUST(pthread_mutex_unlock(&gate));
}

static void gated_b_a(void) {
  MUST(pthread_mutex_lock(&gate));
  b_then_a();
  MUST(pthread_mutex_unlock(&gate));
}

static void gate_lock(void) { IN_TURN(gated_a_b, gated_b_a); }

// One of the two orders also happens without the gate.
static void gate_that_one_forgot(void) { IN_TURN(gated_a_b, gated_b_a, b_then_a); }

// Both readers hold the gate at once, so it keeps nobody out.
static pthread_rwlock_t reading_gate = PTHREAD_RWLOCK_INITIALIZER;

static void read_gated_a_b(void) {
  MUST(pthread_rwlock_rdlock(&reading_gate));
  a_then_b();
  MUST(pthread_rwlock_unlock(&reading_gate));
}

static void read_gated_b_a(void) {
  MUST(pthread_rwlock_rdlock(&reading_gate));
  b_then_a();
  MUST(pthread_rwlock_unlock(&reading_gate));
}

static void gate_held_for_reading(void) { IN_TURN(read_gated_a_b, read_gated_b_a); }

static void b_then_try_a(void) {
  MUST(pthread_mutex_lock(&b));
  MUST(pthread_mutex_trylock(&a));
  MUST(pthread_mutex_unlock(&a));
  MUST(pthread_mutex_unlock(&b));
}

static void try_a_then_b(void) {
  MUST(pthread_mutex_trylock(&a));
  MUST(pthread_mutex_lock(&b));
  MUST(pthread_mutex_unlock(&b));
  MUST(pthread_mutex_unlock(&a));
}

static void try_second(void) { IN_TURN(a_then_b, b_then_try_a); }
static void try_first(void) { IN_TURN(try_a_then_b, b_then_a); }

// A wait with an end gives up, like a try.
static void timed_b_then_a(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 10;
  MUST(pthread_mutex_timedlock(&b, &end));
  MUST(pthread_mutex_timedlock(&a, &end));
  MUST(pthread_mutex_unlock(&a));
  MUST(pthread_mutex_unlock(&b));
}

static void timed_inversion(void) { IN_TURN(a_then_b, timed_b_then_a); }

static void read_both(pthread_rwlock_t *first, pthread_rwlock_t *second) {
  MUST(pthread_rwlock_rdlock(first));
  MUST(pthread_rwlock_rdlock(second));
  MUST(pthread_rwlock_unlock(second));
  MUST(pthread_rwlock_unlock(first));
}

static void write_both(pthread_rwlock_t *first, pthread_rwlock_t *second) {
  MUST(pthread_rwlock_wrlock(first));
  MUST(pthread_rwlock_wrlock(second));
  MUST(pthread_rwlock_unlock(second));
  MUST(pthread_rwlock_unlock(first));
}

static void read_a_b(void) { read_both(&reader_a, &reader_b); }
static void read_b_a(void) { read_both(&reader_b, &reader_a); }
static void write_a_b(void) { write_both(&reader_a, &reader_b); }
static void write_b_a(void) { write_both(&reader_b, &reader_a); }
static void read_read_inversion(void) { IN_TURN(read_a_b, read_b_a); }
static void write_write_inversion(void) { IN_TURN(write_a_b, write_b_a); }

// A writer that waits keeps readers of such a lock out: two readers and two writers can stand in one another's way.
static void read_read_inversion_of_writer_preferring(void) {
  pthread_rwlockattr_t attributes;
  MUST(pthread_rwlockattr_init(&attributes));
  MUST(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
  MUST(pthread_rwlock_init(&reader_a, &attributes));
  MUST(pthread_rwlock_init(&reader_b, &attributes));
  read_read_inversion();
}

struct node {
  pthread_mutex_t lock;
  struct node *next;
};

static struct node *list;

static void walk(void) {
  MUST(pthread_mutex_lock(&list->lock));
  for (struct node *node = list; node; node = node->next) {
    if (node->next) MUST(pthread_mutex_lock(&node->next->lock));
    MUST(pthread_mutex_unlock(&node->lock));
  }
}

static void hand_over_hand(void) {
  for (int i = 0; i < 50; i++) {
    struct node *node = malloc(sizeof *node);
    MUST(pthread_mutex_init(&node->lock, NULL));
    node->next = list;
    list = node;
  }
  IN_TURN(walk, walk);
}

// The same two addresses, in another order, after the locks there have ended without pthread_mutex_destroy.
static pthread_mutex_t *places;

static void places_in_order(void) { lock_both(&places[0], &places[1]); }
static void places_reversed(void) { lock_both(&places[1], &places[0]); }

static void address_used_again(void) {
  places = malloc(2 * sizeof *places);
  for (int i = 0; i < 2; i++) MUST(pthread_mutex_init(&places[i], NULL));
  IN_TURN(places_in_order);
  free(places);
  pthread_mutex_t *before = places;
  places = malloc(2 * sizeof *places);
  if (places != before) succeeded(ENOMEM, "the same address again");
  for (int i = 0; i < 2; i++) MUST(pthread_mutex_init(&places[i], NULL));
  IN_TURN(places_reversed);
}

// As above, but nothing tells that these are other locks than before, except that they were freed.
static void address_used_again_without_init(void) {
  places = malloc(2 * sizeof *places);
  for (int i = 0; i < 2; i++) places[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  IN_TURN(places_in_order);
  free(places);
  places = malloc(2 * sizeof *places);
  for (int i = 0; i < 2; i++) places[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  IN_TURN(places_reversed);
}

static void address_used_again_after_destroy(void) {
  places = malloc(2 * sizeof *places);
  for (int i = 0; i < 2; i++) MUST(pthread_mutex_init(&places[i], NULL));
  IN_TURN(places_in_order);
  for (int i = 0; i < 2; i++) MUST(pthread_mutex_destroy(&places[i]));
  for (int i = 0; i < 2; i++) MUST(pthread_mutex_init(&places[i], NULL));
  IN_TURN(places_reversed);
}

static pthread_spinlock_t spin_a, spin_b;

static void spin_both(pthread_spinlock_t *first, pthread_spinlock_t *second) {
  MUST(pthread_spin_lock(first));
  MUST(pthread_spin_lock(second));
  MUST(pthread_spin_unlock(second));
  MUST(pthread_spin_unlock(first));
}

static void spin_a_b(void) { spin_both(&spin_a, &spin_b); }
static void spin_b_a(void) { spin_both(&spin_b, &spin_a); }

static void spinlock_inversion(void) {
  MUST(pthread_spin_init(&spin_a, PTHREAD_PROCESS_PRIVATE));
  MUST(pthread_spin_init(&spin_b, PTHREAD_PROCESS_PRIVATE));
  IN_TURN(spin_a_b, spin_b_a);
}

// Locks that come and go while others keep their order, more of each kind than any table of counts has places.
#define COMING_AND_GOING 100000

static union {
  pthread_mutex_t mutex;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
} churned[COMING_AND_GOING];

static void churn_mutexes(const pthread_mutexattr_t *attributes) {
  for (size_t i = 0; i < COMING_AND_GOING; i++) {
    MUST(pthread_mutex_init(&churned[i].mutex, attributes));
    MUST(pthread_mutex_lock(&churned[i].mutex));
    MUST(pthread_mutex_unlock(&churned[i].mutex));
    MUST(pthread_mutex_destroy(&churned[i].mutex));
  }
}

static void churn_rwlocks(void) {
  for (size_t i = 0; i < COMING_AND_GOING; i++) {
    MUST(pthread_rwlock_init(&churned[i].rwlock, NULL));
    MUST(pthread_rwlock_wrlock(&churned[i].rwlock));
    MUST(pthread_rwlock_unlock(&churned[i].rwlock));
    MUST(pthread_rwlock_destroy(&churned[i].rwlock));
  }
}

static void churn_spinlocks(void) {
  for (size_t i = 0; i < COMING_AND_GOING; i++) {
    MUST(pthread_spin_init(&churned[i].spin, PTHREAD_PROCESS_PRIVATE));
    MUST(pthread_spin_lock(&churned[i].spin));
    MUST(pthread_spin_unlock(&churned[i].spin));
    MUST(pthread_spin_destroy(&churned[i].spin));
  }
}

static pthread_mutexattr_t inheriting;

static void churn(void) {
  churn_mutexes(NULL);
  churn_mutexes(&inheriting);
  churn_rwlocks();
  churn_spinlocks();
}

static pthread_mutex_t inheriting_a, inheriting_b;

static void inheriting_a_b(void) { lock_both(&inheriting_a, &inheriting_b); }
static void inheriting_b_a(void) { lock_both(&inheriting_b, &inheriting_a); }

static void set_inheriting(void) {
  MUST(pthread_mutexattr_init(&inheriting));
  MUST(pthread_mutexattr_setprotocol(&inheriting, PTHREAD_PRIO_INHERIT));
}

static void mutex_inversion_beside_churn(void) {
  set_inheriting();
  IN_TURN(a_then_b, churn, b_then_a);
}

static void inheriting_inversion_beside_churn(void) {
  set_inheriting();
  MUST(pthread_mutex_init(&inheriting_a, &inheriting));
  MUST(pthread_mutex_init(&inheriting_b, &inheriting));
  IN_TURN(inheriting_a_b, churn, inheriting_b_a);
}

static void spinlock_inversion_beside_churn(void) {
  set_inheriting();
  MUST(pthread_spin_init(&spin_a, PTHREAD_PROCESS_PRIVATE));
  MUST(pthread_spin_init(&spin_b, PTHREAD_PROCESS_PRIVATE));
  IN_TURN(spin_a_b, churn, spin_b_a);
}

// A mutex against a rwlock held for reading: the writer in between waits for both.
static void read_then_mutex(void) {
  MUST(pthread_rwlock_rdlock(&reader_a));
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_unlock(&a));
  MUST(pthread_rwlock_unlock(&reader_a));
}

static void mutex_then_write(void) {
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_rwlock_wrlock(&reader_a));
  MUST(pthread_rwlock_unlock(&reader_a));
  MUST(pthread_mutex_unlock(&a));
}

static void mutex_against_rwlock(void) { IN_TURN(read_then_mutex, mutex_then_write); }

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void recursive_and_a(void) {
  MUST(pthread_mutex_lock(&recursive));
  lock_both(&recursive, &a);
  MUST(pthread_mutex_unlock(&recursive));
}

static void recursive_mutex(void) { IN_TURN(recursive_and_a, recursive_and_a); }

// Taken again while another lock was taken in between: it was held already, so nobody waits.
static void recursive_again_inside(void) {
  MUST(pthread_mutex_lock(&recursive));
  lock_both(&a, &recursive);
  MUST(pthread_mutex_unlock(&recursive));
}

static void recursive_mutex_again_inside(void) { IN_TURN(recursive_again_inside, recursive_again_inside); }

static void a_and_recursive(void) { lock_both(&a, &recursive); }
static void recursive_inversion(void) { IN_TURN(recursive_and_a, a_and_recursive); }

// Not nested like brackets: released in the order in which they were taken.
static void unlock_in_any_order(void) {
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_lock(&b));
  MUST(pthread_mutex_unlock(&a));
  MUST(pthread_mutex_lock(&c));
  MUST(pthread_mutex_unlock(&b));
  MUST(pthread_mutex_unlock(&c));
}

static void released_in_another_order(void) { IN_TURN(unlock_in_any_order, unlock_in_any_order, c_then_a); }

const struct scenario order_scenarios[] = {
    {"inversion-of-two", inversion_of_two},
    {"cycle-of-three", cycle_of_three},
    {"same-order", same_order},
    {"inversion-again-and-again", inversion_again_and_again},
    {"one-thread-inversion", one_thread_inversion},
    {"inversion-within-one-thread-of-two", inversion_within_one_thread_of_two},
    {"gate-lock", gate_lock},
    {"gate-that-one-forgot", gate_that_one_forgot},
    {"gate-held-for-reading", gate_held_for_reading},
    {"try-second", try_second},
    {"try-first", try_first},
    {"timed-inversion", timed_inversion},
    {"read-read-inversion", read_read_inversion},
    {"read-read-inversion-of-writer-preferring", read_read_inversion_of_writer_preferring},
    {"write-write-inversion", write_write_inversion},
    {"mutex-against-rwlock", mutex_against_rwlock},
    {"spinlock-inversion", spinlock_inversion},
    {"mutex-inversion-beside-churn", mutex_inversion_beside_churn},
    {"inheriting-inversion-beside-churn", inheriting_inversion_beside_churn},
    {"spinlock-inversion-beside-churn", spinlock_inversion_beside_churn},
    {"hand-over-hand", hand_over_hand},
    {"address-used-again", address_used_again},
    {"address-used-again-without-init", address_used_again_without_init},
    {"address-used-again-after-destroy", address_used_again_after_destroy},
    {"recursive-mutex", recursive_mutex},
    {"recursive-mutex-again-inside", recursive_mutex_again_inside},
    {"recursive-inversion", recursive_inversion},
    {"released-in-another-order", released_in_another_order},
    {0},
};
