// What the program does, scenario by scenario.

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guarded.h"
#include "locks/stacks.h"
#include "nan_trap.h"
#include "probe.h"

#define PHILOSOPHERS 500
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t readers_first = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both_hold;
static pthread_mutex_t forks[PHILOSOPHERS];

static pthread_t begin(void *(*work)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, argument);
  return thread;
}

static void run(void *(*work)(void *)) { pthread_join(begin(work, NULL), NULL); }

#define WORK(name, ...)               \
  static void *name(void *argument) { \
    __VA_ARGS__                       \
    return argument;                  \
  }

WORK(a_b, lock(&a); lock(&b); unlock(&b); unlock(&a);)
WORK(b_a, lock(&b); lock(&a); unlock(&a); unlock(&b);)
WORK(b_c, lock(&b); lock(&c); unlock(&c); unlock(&b);)
WORK(c_a, lock(&c); lock(&a); unlock(&a); unlock(&c);)
WORK(gated_a_b, lock(&gate); a_b(NULL); unlock(&gate);)
WORK(gated_b_a, lock(&gate); b_a(NULL); unlock(&gate);)
WORK(b_try_a, lock(&b); if (pthread_mutex_trylock(&a) == 0) unlock(&a); unlock(&b);)
WORK(try_a_b, if (pthread_mutex_trylock(&a) == 0) lock(&b); unlock(&b); unlock(&a);)
WORK(hold_a, lock(&a);)
WORK(unlock_a, unlock(&a);)
WORK(read_b, pthread_rwlock_rdlock(&readers_first); lock(&b); unlock(&b); pthread_rwlock_unlock(&readers_first);)
WORK(b_read, lock(&b); pthread_rwlock_rdlock(&readers_first); pthread_rwlock_unlock(&readers_first); unlock(&b);)
WORK(b_write, lock(&b); pthread_rwlock_wrlock(&readers_first); pthread_rwlock_unlock(&readers_first); unlock(&b);)
WORK(read2_b, pthread_rwlock_rdlock(&writers_first); lock(&b); unlock(&b); pthread_rwlock_unlock(&writers_first);)
WORK(b_read2, lock(&b); pthread_rwlock_rdlock(&writers_first); pthread_rwlock_unlock(&writers_first); unlock(&b);)
WORK(dead_a_b, lock(&a); pthread_barrier_wait(&both_hold); lock(&b);)
WORK(dead_b_a, lock(&b); pthread_barrier_wait(&both_hold); lock(&a);)
WORK(wait_with_b, lock(&b); lock(&a); pthread_cond_signal(&condition); pthread_cond_wait(&condition, &a); unlock(&a);
     unlock(&b);)
WORK(dine, size_t seat = (size_t)argument; lock(&forks[seat]); lock(&forks[(seat + 1) % PHILOSOPHERS]);
     unlock(&forks[(seat + 1) % PHILOSOPHERS]); unlock(&forks[seat]);)

static void inversion(void) { run(a_b), run(b_a), run(a_b), run(b_a); }
static void three(void) { run(a_b), run(b_c), run(c_a); }
static void gated(void) { run(gated_a_b), run(gated_b_a); }
static void gate_left_out(void) { run(gated_a_b), run(gated_b_a), run(a_b); }
static void try_last(void) { run(a_b), run(b_try_a); }
static void try_first(void) { run(try_a_b), run(b_a); }
static void one_thread(void) { a_b(NULL), b_a(NULL); }
static void thread_ends(void) { run(hold_a); }
static void other_unlocks(void) { lock(&a), run(unlock_a); }
static void double_unlock(void) { lock(&a), unlock(&a), unlock(&a); }
static void destroyed(void) { lock(&a), pthread_mutex_destroy(&a); }
static void initialised(void) { lock(&a), pthread_mutex_init(&a, NULL); }
static void two_readers(void) { run(read_b), run(b_read); }
static void reader_writer(void) { run(read_b), run(b_write); }
static void two_readers_writers_first(void) { run(read2_b), run(b_read2); }
static void self(void) { lock(&a), lock(&a); }

static void dead(void) {
  pthread_barrier_init(&both_hold, NULL, 2);
  begin(dead_a_b, NULL);
  run(dead_b_a);
}

static void philosophers(void) {
  for (size_t i = 0; i < PHILOSOPHERS; ++i) pthread_mutex_init(&forks[i], NULL);
  for (size_t i = 0; i < PHILOSOPHERS; ++i) pthread_join(begin(dine, (void *)i), NULL);
}

static void hand_over_hand(void) {
  for (int round = 0; round < 2; ++round) {
    lock(&forks[0]);
    for (size_t i = 1; i < PHILOSOPHERS; ++i) lock(&forks[i]), unlock(&forks[i - 1]);
    unlock(&forks[PHILOSOPHERS - 1]);
  }
}

static void wait_while_holding(void) {
  lock(&a);
  pthread_t thread = begin(wait_with_b, NULL);
  pthread_cond_wait(&condition, &a);
  pthread_cond_signal(&condition);
  unlock(&a);
  pthread_join(thread, NULL);
}

// Freed without being destroyed, and another at its address.
static void address_again(void) {
  pthread_mutex_t *locks = calloc(2, sizeof *locks);
  lock(&locks[0]), lock(&locks[1]), unlock(&locks[1]), unlock(&locks[0]);
  memset(locks, 0, 2 * sizeof *locks);
  lock(&locks[1]), lock(&locks[0]), unlock(&locks[0]), unlock(&locks[1]);
  free(locks);
}

static void same_class(void) {
  threadguard_name_lock(&a, "account"), threadguard_name_lock(&b, "account");
  a_b(NULL);
}

// No two locks are taken in both orders, but two classes are.
static void classes(void) {
  threadguard_name_lock(&forks[0], "left"), threadguard_name_lock(&forks[1], "left");
  threadguard_name_lock(&forks[2], "right"), threadguard_name_lock(&forks[3], "right");
  lock(&forks[0]), lock(&forks[2]), unlock(&forks[2]), unlock(&forks[0]);
  lock(&forks[3]), lock(&forks[1]), unlock(&forks[1]), unlock(&forks[3]);
}

static void recursive(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  lock(&mutex), lock(&mutex), lock(&b), unlock(&b), unlock(&mutex), lock(&b), unlock(&b), unlock(&mutex);
  pthread_mutex_destroy(&mutex);
}

WORK(read_then_a, pthread_rwlock_rdlock(&readers_first); lock(&a); unlock(&a); pthread_rwlock_unlock(&readers_first);)
WORK(write_then_a, pthread_rwlock_wrlock(&readers_first); lock(&a); unlock(&a); pthread_rwlock_unlock(&readers_first);)
WORK(a_then_write, lock(&a); pthread_rwlock_wrlock(&readers_first); pthread_rwlock_unlock(&readers_first); unlock(&a);)
WORK(a_then_read, lock(&a); pthread_rwlock_rdlock(&readers_first); pthread_rwlock_unlock(&readers_first); unlock(&a);)

// One pair of locks in both orders, from four places.
static void inverted_in_places(void) { run(read_then_a), run(a_then_write), run(write_then_a), run(a_then_read); }

static pthread_mutex_t handed;
static pthread_rwlock_t read_by_two = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinning;

WORK(unlock_handed, unlock(&handed);)

// Given back on another thread, which is one mistake; what comes of the lock then is none.
static void handed_over(void) {
  pthread_mutex_init(&handed, NULL);
  lock(&handed);
  pthread_join(begin(unlock_handed, NULL), NULL);
  pthread_mutex_destroy(&handed);
}

// Of a process-shared one nobody is told that another thread gave it back: its own word says so.
static void shared_handed_over(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&handed, &attributes);
  lock(&handed);
  pthread_join(begin(unlock_handed, NULL), NULL);
  pthread_mutex_destroy(&handed);
}

static void *unlock_spinning(void *nothing) {
  pthread_spin_unlock(&spinning);
  pthread_spin_lock(&spinning);
  pthread_barrier_wait(&both_hold);
  usleep(100000);
  pthread_spin_unlock(&spinning);
  return nothing;
}

// Waited for while another thread has it, though this one took it once.
static void spinlock_handed_over(void) {
  pthread_barrier_init(&both_hold, NULL, 2);
  pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&spinning);
  pthread_t thread = begin(unlock_spinning, NULL);
  pthread_barrier_wait(&both_hold);
  pthread_spin_lock(&spinning);
  pthread_spin_unlock(&spinning);
  pthread_join(thread, NULL);
}

// One reader more than glibc has room for, as glibc answers it.
static void too_many_readers(void) {
  a_b(NULL);  // a thread's first lock is glibc's
  read_by_two.__data.__readers = 0x7ffffff8u;
  if (pthread_rwlock_rdlock(&read_by_two) != EAGAIN || read_by_two.__data.__readers != 0x7ffffff8u) _Exit(1);
}

static __attribute__((noinline)) void lock_for(pthread_mutex_t *mutex) {
  lock(mutex);
  __asm__ volatile("");
}

static void look_for_taker(void) {
  // Of the stack no more is needed than a frame where the wrapper's was.
  struct ctg_walk walk = {
      .count = 1, .addresses = {(uintptr_t)look_for_taker}, .stack_pointers = {ctg_thread_self->held[0].stack_pointer}};
  uintptr_t addresses[CTG_STACK_MAX];
  size_t count = ctg_stack_of_taking(&ctg_thread_self->held[0], &walk, addresses);
  if (count < 2 || addresses[1] != ctg_thread_self->held[0].second_caller) fprintf(stderr, "%zu frames\n", count);
}

// Another function has its frame where the one that took the lock for others had it.
static void wrapped_and_returned(void) {
  lock_for(&a);
  look_for_taker();
  unlock(&a);
}

static void lock_a(void) { lock(&a); }
static void unlock_a_again(void) { unlock(&a); }
static void renew_a(void) { pthread_mutex_init(&a, NULL); }

static void in_child_of_locked_fork(void (*work)(void)) {
  pthread_atfork(lock_a, unlock_a_again, renew_a);
  pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
static void renewed_in_child(void) { in_child_of_locked_fork(recursive); }
static void initialised_in_child(void) { in_child_of_locked_fork(initialised); }

#ifdef THREADGUARD
// Ends with ENOTSUP if the processor has no trap for invalid floating-point operations.
static void prepare_nan_trap(void) { exit(ctg_nan_prepare()); }
#endif

const struct scenario scenarios[] = {
    {"inversion", inversion},
    {"three", three},
    {"gated", gated},
    {"gate-left-out", gate_left_out},
    {"try-last", try_last},
    {"try-first", try_first},
    {"one-thread", one_thread},
    {"thread-ends", thread_ends},
    {"other-unlocks", other_unlocks},
    {"double-unlock", double_unlock},
    {"destroyed", destroyed},
    {"initialised", initialised},
    {"renewed-in-child", renewed_in_child},
    {"initialised-in-child", initialised_in_child},
    {"two-readers", two_readers},
    {"reader-writer", reader_writer},
    {"two-readers-writers-first", two_readers_writers_first},
    {"self", self},
    {"dead", dead},
    {"philosophers", philosophers},
    {"hand-over-hand", hand_over_hand},
    {"wait-while-holding", wait_while_holding},
    {"address-again", address_again},
    {"same-class", same_class},
    {"classes", classes},
    {"recursive", recursive},
    {"inverted-in-places", inverted_in_places},
    {"handed-over", handed_over},
    {"shared-handed-over", shared_handed_over},
    {"spinlock-handed-over", spinlock_handed_over},
    {"too-many-readers", too_many_readers},
    {"wrapped-and-returned", wrapped_and_returned},
    {"graph", compare_graph},
    {"graph-steps", count_steps},
    {"noise", show_noise},
    {"lost-updates", lose_updates},
    {"handler", lock_in_handler},
    {"own-steps", exclude_by_own_steps},
    {"glibc-alone", exclude_by_glibc},
    {"small-thread", invert_on_small_thread},
    {"small-coroutine", invert_on_small_coroutine},
    {"small-coroutine-in-order", lock_on_small_coroutine},
    {"small-signal-stack", invert_on_small_signal_stack},
    {"two-small-threads", invert_on_two_small_threads},
    {"small-after-fork", invert_after_fork},
    {"crash-on-work-stack", crash_on_work_stack},
    {"stacks", measure_stacks},
    {"file-limit", misuse_at_file_limit},
#ifdef THREADGUARD
    {"nan-trap", prepare_nan_trap},
#endif
    {0},
};
