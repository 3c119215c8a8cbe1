// Locks that are used as they must not be.

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scenarios.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void lock_a(void) { MUST(pthread_mutex_lock(&a)); }
static void unlock_a(void) { MUST(pthread_mutex_unlock(&a)); }
static void unlock_by_another_thread(void) { IN_TURN(lock_a, unlock_a); }

// What another thread has unlocked is held no longer: b is not taken under a.
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static void lock_b_then_a(void) { lock_both(&b, &a); }

static void unlocked_by_another_makes_no_order(void) {
  lock_a();
  IN_TURN(unlock_a);
  MUST(pthread_mutex_lock(&b));
  MUST(pthread_mutex_unlock(&b));
  IN_TURN(lock_b_then_a);
}

static void write_lock(void) { MUST(pthread_rwlock_wrlock(&rwlock)); }
static void read_lock(void) { MUST(pthread_rwlock_rdlock(&rwlock)); }
static void unlock_rwlock(void) { MUST(pthread_rwlock_unlock(&rwlock)); }
static void write_unlock_by_another_thread(void) { IN_TURN(write_lock, unlock_rwlock); }

// POSIX lets nobody else than the reader unlock, but nothing in glibc keeps count of who it was.
static void read_unlock_by_another_thread(void) { IN_TURN(read_lock, unlock_rwlock); }

static void double_unlock(void) {
  lock_a();
  unlock_a();
  unlock_a();
}

static void unlock_of_never_locked(void) { unlock_a(); }

// The mutex itself says EPERM here; the mistake is the same.
static void double_unlock_of_checking(void) {
  MUST(pthread_mutex_lock(&checking));
  MUST(pthread_mutex_unlock(&checking));
  if (pthread_mutex_unlock(&checking) != EPERM) exit(70);
}

static void *end_with_a(void *unused) {
  lock_a();
  return unused;
}

static void thread_ends_holding(void) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, end_with_a, NULL));
  MUST(pthread_join(thread, NULL));
}

// The end of the program ends no thread: what main holds as it returns harms nobody.
static void program_ends_holding(void) { lock_a(); }

static void destroyed_while_held(void) {
  lock_a();
  (void)pthread_mutex_destroy(&a);
}

static void held_by_another_as_destroyed(void) { (void)pthread_mutex_destroy(&a); }
static void destroyed_while_another_holds_it(void) { IN_TURN(lock_a, held_by_another_as_destroyed); }

static void rwlock_destroyed_while_held(void) {
  write_lock();
  (void)pthread_rwlock_destroy(&rwlock);
}

static void initialised_while_held(void) {
  lock_a();
  MUST(pthread_mutex_init(&a, NULL));
}

// Locks two shared locks at one address, unlocks them at another one, and makes them anew at the first.
static void shared_unlocked_at_another_address(void) {
  struct locks {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
  };
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  int memory = memfd_create("locks", 0);
  if (memory < 0 || ftruncate(memory, (off_t)size)) exit(70);
  struct locks *one = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  struct locks *other = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (one == MAP_FAILED || other == MAP_FAILED) exit(70);
  pthread_mutexattr_t mutexes;
  MUST(pthread_mutexattr_init(&mutexes));
  MUST(pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_SHARED));
  pthread_rwlockattr_t rwlocks;
  MUST(pthread_rwlockattr_init(&rwlocks));
  MUST(pthread_rwlockattr_setpshared(&rwlocks, PTHREAD_PROCESS_SHARED));
  for (int round = 0; round < 2; ++round) {
    MUST(pthread_mutex_init(&one->mutex, &mutexes));
    MUST(pthread_rwlock_init(&one->rwlock, &rwlocks));
    MUST(pthread_mutex_lock(&one->mutex));
    MUST(pthread_rwlock_wrlock(&one->rwlock));
    MUST(pthread_rwlock_unlock(&other->rwlock));
    MUST(pthread_mutex_unlock(&other->mutex));
  }
}

static void used_after_destroy(void) {
  lock_a();
  unlock_a();
  MUST(pthread_mutex_destroy(&a));
  (void)pthread_mutex_lock(&a);
}

static void unlocked_after_destroy(void) {
  MUST(pthread_mutex_init(&a, NULL));
  MUST(pthread_mutex_destroy(&a));
  (void)pthread_mutex_unlock(&a);
}

// glibc refuses what it knows no kind of.
static pthread_mutex_t no_mutex;
static void fill_no_mutex(void) { memset(&no_mutex, 0x55, sizeof no_mutex); }

static void unlock_of_no_mutex(void) {
  fill_no_mutex();
  if (pthread_mutex_unlock(&no_mutex) != EINVAL) exit(70);
}

static void lock_of_no_mutex(void) {
  fill_no_mutex();
  if (pthread_mutex_lock(&no_mutex) != EINVAL) exit(70);
}

static void trylock_of_no_mutex(void) {
  fill_no_mutex();
  if (pthread_mutex_trylock(&no_mutex) != EINVAL) exit(70);
}

// The second unlock leaves a number of readers below zero, and the lock in use for ever.
static void rwlock_destroyed_after_double_unlock(void) {
  write_lock();
  unlock_rwlock();
  unlock_rwlock();
  (void)pthread_rwlock_destroy(&rwlock);
}

// --- Conditions whose mutex the thread does not hold -------------------------------------------------------------

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

// A limit that is past: the wait unlocks the mutex, and locks it again. Nothing else ends it.
static int wait_a_moment(pthread_mutex_t *mutex) {
  static const struct timespec long_ago;
  return pthread_cond_timedwait(&condition, mutex, &long_ago);
}

static void wait_with_a(void) {
  if (wait_a_moment(&a) != ETIMEDOUT) exit(70);
  unlock_a();
}

static void condition_wait_without_lock(void) { wait_with_a(); }
static void condition_wait_with_lock_of_another(void) { IN_TURN(lock_a, wait_with_a); }

// The mutex says EPERM, and there is no wait.
static void condition_wait_without_checking_lock(void) {
  if (wait_a_moment(&checking) != EPERM) exit(70);
}

static void condition_wait_after_unlock_by_another(void) {
  lock_a();
  IN_TURN(unlock_a);
  wait_with_a();
}

static void condition_wait_after_destroy(void) {
  MUST(pthread_mutex_init(&a, NULL));
  MUST(pthread_mutex_destroy(&a));
  if (wait_a_moment(&a) != EINVAL) exit(70);
}

static void condition_wait_with_rwlock(void) {
  read_lock();
  (void)wait_a_moment((pthread_mutex_t *)&rwlock);
}

static void condition_wait_with_recursive_lock(void) {
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  MUST(pthread_mutex_lock(&recursive));
  if (wait_a_moment(&recursive) != ETIMEDOUT) exit(70);
  MUST(pthread_mutex_unlock(&recursive));
}

static void freed_while_held(void) {
  pthread_mutex_t *lock = malloc(sizeof *lock);
  MUST(pthread_mutex_init(lock, NULL));
  MUST(pthread_mutex_lock(lock));
  free(lock);
}

// Anyone may post: that a semaphore is not a mutex is what it is for.
static sem_t semaphore;
static void wait_for_semaphore(void) {
  while (sem_wait(&semaphore)) {
  }
}
static void post_semaphore(void) { (void)sem_post(&semaphore); }

static void semaphore_posted_by_another_thread(void) {
  (void)sem_init(&semaphore, 0, 1);
  IN_TURN(wait_for_semaphore, post_semaphore, post_semaphore, wait_for_semaphore);
}

// An errorcheck mutex answers a second lock with an error, and a recursive one with success.
static void relock_of_checking(void) {
  MUST(pthread_mutex_lock(&checking));
  if (pthread_mutex_lock(&checking) != EDEADLK) exit(70);
  MUST(pthread_mutex_unlock(&checking));
}

static void failed_trylock(void) {
  lock_a();
  if (pthread_mutex_trylock(&a) != EBUSY) exit(70);
  unlock_a();
}

static void try_in_vain(void) {
  if (pthread_mutex_trylock(&a) != EBUSY) exit(70);
}

static void failed_trylock_of_another(void) {
  lock_a();
  IN_TURN(try_in_vain);
  unlock_a();
}

const struct scenario misuse_scenarios[] = {
    {"unlock-by-another-thread", unlock_by_another_thread},
    {"unlocked-by-another-makes-no-order", unlocked_by_another_makes_no_order},
    {"write-unlock-by-another-thread", write_unlock_by_another_thread},
    {"read-unlock-by-another-thread", read_unlock_by_another_thread},
    {"double-unlock", double_unlock},
    {"unlock-of-never-locked", unlock_of_never_locked},
    {"double-unlock-of-errorcheck", double_unlock_of_checking},
    {"thread-ends-holding", thread_ends_holding},
    {"program-ends-holding", program_ends_holding},
    {"destroyed-while-held", destroyed_while_held},
    {"destroyed-while-another-holds-it", destroyed_while_another_holds_it},
    {"rwlock-destroyed-while-held", rwlock_destroyed_while_held},
    {"initialised-while-held", initialised_while_held},
    {"shared-unlocked-at-another-address", shared_unlocked_at_another_address},
    {"used-after-destroy", used_after_destroy},
    {"unlocked-after-destroy", unlocked_after_destroy},
    {"unlock-of-no-mutex", unlock_of_no_mutex},
    {"lock-of-no-mutex", lock_of_no_mutex},
    {"trylock-of-no-mutex", trylock_of_no_mutex},
    {"rwlock-destroyed-after-double-unlock", rwlock_destroyed_after_double_unlock},
    {"condition-wait-without-lock", condition_wait_without_lock},
    {"condition-wait-without-checking-lock", condition_wait_without_checking_lock},
    {"condition-wait-with-lock-of-another", condition_wait_with_lock_of_another},
    {"condition-wait-after-unlock-by-another", condition_wait_after_unlock_by_another},
    {"condition-wait-after-destroy", condition_wait_after_destroy},
    {"condition-wait-with-rwlock", condition_wait_with_rwlock},
    {"condition-wait-with-recursive-lock", condition_wait_with_recursive_lock},
    {"freed-while-held", freed_while_held},
    {"semaphore-posted-by-another-thread", semaphore_posted_by_another_thread},
    {"relock-of-errorcheck", relock_of_checking},
    {"failed-trylock", failed_trylock},
    {"failed-trylock-of-another", failed_trylock_of_another},
    {0},
};
