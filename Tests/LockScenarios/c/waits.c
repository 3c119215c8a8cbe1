// Waiting while something is held: conditions, semaphores, other threads.

#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "scenarios.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t waiter_has_it;
static int ready, waiting;
static sem_t semaphore, other_semaphore;

static void wait_for_change(void) {
  waiting = 1;
  while (!ready) MUST(pthread_cond_wait(&changed, &a));
}

static void wait_until_ready(void) {
  MUST(pthread_mutex_lock(&a));
  wait_for_change();
  MUST(pthread_mutex_unlock(&a));
}

// Not before somebody waits: the mutex is free again then.
static void make_ready(void) {
  MUST(pthread_mutex_lock(&a));
  while (!waiting) {
    MUST(pthread_mutex_unlock(&a));
    sched_yield();
    MUST(pthread_mutex_lock(&a));
  }
  ready = 1;
  MUST(pthread_cond_broadcast(&changed));
  MUST(pthread_mutex_unlock(&a));
}

static void condition_wait(void) { TOGETHER(wait_until_ready, wait_until_ready, make_ready); }

// Whoever is to make it ready may need b.
static void wait_holding_b(void) {
  MUST(pthread_mutex_lock(&b));
  wait_until_ready();
  MUST(pthread_mutex_unlock(&b));
}

static void condition_wait_holding_another(void) { TOGETHER(wait_holding_b, make_ready); }

// The wait ends with taking a again while b is held, which was taken after it.
static void wait_with_a_taken_first(void) {
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_lock(&b));
  wait_for_change();
  MUST(pthread_mutex_unlock(&b));
  MUST(pthread_mutex_unlock(&a));
}

static void condition_wait_takes_its_mutex_again(void) { TOGETHER(wait_with_a_taken_first, make_ready); }

// The wait releases a, and b is taken and released after it: no order between the two.
static void wait_then_b(void) {
  wait_until_ready();
  MUST(pthread_mutex_lock(&b));
  MUST(pthread_mutex_unlock(&b));
}

static void make_ready_holding_b(void) {
  MUST(pthread_mutex_lock(&b));
  make_ready();
  MUST(pthread_mutex_unlock(&b));
}

static void condition_wait_releases_its_mutex(void) { TOGETHER(wait_then_b, make_ready_holding_b); }

static void wait_for(sem_t *semaphore) {
  while (sem_wait(semaphore)) {
  }
}

// A semaphore that is used as a lock, in both orders with a mutex.
static void semaphore_then_mutex(void) {
  wait_for(&semaphore);
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_unlock(&a));
  (void)sem_post(&semaphore);
}

static void mutex_then_semaphore(void) {
  MUST(pthread_mutex_lock(&a));
  wait_for(&semaphore);
  (void)sem_post(&semaphore);
  MUST(pthread_mutex_unlock(&a));
}

static void semaphore_and_mutex(void) {
  (void)sem_init(&semaphore, 0, 1);
  IN_TURN(semaphore_then_mutex, mutex_then_semaphore);
}

// Who posts needs the mutex that the one who waits holds.
static void post_under_mutex(void) {
  MUST(pthread_mutex_lock(&a));
  (void)sem_post(&semaphore);
  MUST(pthread_mutex_unlock(&a));
}

static void wait_under_mutex(void) {
  MUST(pthread_mutex_lock(&a));
  wait_for(&semaphore);
  MUST(pthread_mutex_unlock(&a));
}

static void semaphore_posted_under_the_waiters_mutex(void) {
  (void)sem_init(&semaphore, 0, 0);
  IN_TURN(post_under_mutex, wait_under_mutex);
}

// Two semaphores by which two threads take turns: the usual ping-pong, and no mistake.
static void ping(void) {
  for (int i = 0; i < 1000; i++) {
    wait_for(&semaphore);
    (void)sem_post(&other_semaphore);
  }
}

static void pong(void) {
  for (int i = 0; i < 1000; i++) {
    (void)sem_post(&semaphore);
    wait_for(&other_semaphore);
  }
}

static void semaphores_that_take_turns(void) {
  (void)sem_init(&semaphore, 0, 0);
  (void)sem_init(&other_semaphore, 0, 0);
  TOGETHER(ping, pong);
}

// All wait but one, which posts after a while: nothing is wrong. The watcher has had its looks by then.
static void need_the_mutex(void) {
  (void)pthread_barrier_wait(&waiter_has_it);
  MUST(pthread_mutex_lock(&a));
  MUST(pthread_mutex_unlock(&a));
}

static void wait_with_the_mutex(void) {
  MUST(pthread_mutex_lock(&a));
  (void)pthread_barrier_wait(&waiter_has_it);
  wait_for(&semaphore);
  MUST(pthread_mutex_unlock(&a));
}

static void post_later(void) {
  (void)nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
  (void)sem_post(&semaphore);
}

static void semaphore_posted_later_by_another(void) {
  (void)sem_init(&semaphore, 0, 0);
  MUST(pthread_barrier_init(&waiter_has_it, NULL, 2));
  TOGETHER(wait_with_the_mutex, need_the_mutex, post_later);
}

// The same without that one: a handler posts.
static void on_alarm(int number) {
  (void)number;
  (void)sem_post(&semaphore);
}

static void semaphore_posted_by_a_handler(void) {
  (void)sem_init(&semaphore, 0, 0);
  MUST(pthread_barrier_init(&waiter_has_it, NULL, 2));
  (void)sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
  (void)setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = 1, .tv_usec = 500000}}, NULL);
  TOGETHER(wait_with_the_mutex, need_the_mutex);
}

const struct scenario wait_scenarios[] = {
    {"condition-wait", condition_wait},
    {"condition-wait-holding-another", condition_wait_holding_another},
    {"condition-wait-takes-its-mutex-again", condition_wait_takes_its_mutex_again},
    {"condition-wait-releases-its-mutex", condition_wait_releases_its_mutex},
    {"semaphore-and-mutex", semaphore_and_mutex},
    {"semaphore-posted-under-the-waiters-mutex", semaphore_posted_under_the_waiters_mutex},
    {"semaphores-that-take-turns", semaphores_that_take_turns},
    {"semaphore-posted-later-by-another", semaphore_posted_later_by_another},
    {"semaphore-posted-by-a-handler", semaphore_posted_by_a_handler},
    {0},
};
