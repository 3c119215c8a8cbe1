// Locks on stacks that have room for little more than the program's own work.

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "CGround/stack_switch.h"
#include "ground/work_stack.h"
#include "probe.h"
#include "threads/thread_state.h"

#define SMALL_BYTES (8 * 1024)
#define AREA_BYTES (256 * 1024)
#define PAINT 0xa5

struct pair {
  pthread_mutex_t first, second;
};

#define PAIR \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }

static struct pair pair = PAIR, other_pair = PAIR;

// Twice: what two pairs do at one place in the code is one mistake.
#define ORDER(name, one, other)                                             \
  static void *name(void *argument) {                                       \
    struct pair *locks = argument;                                          \
    pthread_mutex_lock(&locks->one), pthread_mutex_lock(&locks->other);     \
    pthread_mutex_unlock(&locks->other), pthread_mutex_unlock(&locks->one); \
    return NULL;                                                            \
  }

ORDER(forwards, first, second)
ORDER(backwards, second, first)
ORDER(forwards_elsewhere, first, second)
ORDER(backwards_elsewhere, second, first)

static pthread_t begin(void *(*work)(void *), void *argument, size_t stack_size) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_size) pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, work, argument) != 0) exit(2);
  pthread_attr_destroy(&attributes);
  return thread;
}

static void on_other_thread(void *(*work)(void *), void *argument) { pthread_join(begin(work, argument, 0), NULL); }

// --- An area with a stack at its upper end, painted ----------------------------------------------------------------

struct area {
  unsigned char *low;
  size_t stack_size;
};

static struct area paint(size_t stack_size) {
  struct area area = {.stack_size = stack_size};
  area.low = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area.low == MAP_FAILED) exit(2);
  memset(area.low, PAINT, AREA_BYTES);
  return area;
}

static size_t used(const struct area *area) {
  size_t at = 0;
  while (at < AREA_BYTES && area->low[at] == PAINT) ++at;
  return AREA_BYTES - at;
}

static void expect_within(const struct area *area, const char *what) {
  size_t size = used(area);
  if (size <= area->stack_size) return;
  fprintf(stderr, "%s: %zu bytes below the stack were written to\n", what, size - area->stack_size);
  exit(1);
}

static unsigned char *stack_of(const struct area *area) { return area->low + AREA_BYTES - area->stack_size; }

// --- Where locks are taken -----------------------------------------------------------------------------------------

void invert_on_small_thread(void) {
  on_other_thread(forwards, &pair);
  pthread_join(begin(backwards, &pair, PTHREAD_STACK_MIN), NULL);
}

static ucontext_t outside, coroutine;

static void run_coroutine(void) { backwards(&pair); }

static void invert_on_coroutine(void) {
  struct area area = paint(SMALL_BYTES);
  getcontext(&coroutine);
  coroutine.uc_stack = (stack_t){.ss_sp = stack_of(&area), .ss_size = SMALL_BYTES};
  coroutine.uc_link = &outside;
  makecontext(&coroutine, run_coroutine, 0);
  swapcontext(&outside, &coroutine);
  expect_within(&area, "coroutine");
}

void invert_on_small_coroutine(void) {
  on_other_thread(forwards, &pair);
  invert_on_coroutine();
}

// Nothing is wrong with these locks.
void lock_on_small_coroutine(void) {
  on_other_thread(backwards, &pair);
  invert_on_coroutine();
}

static void on_signal(int number) {
  (void)number;
  backwards(&pair);
}

void invert_on_small_signal_stack(void) {
  on_other_thread(forwards, &pair);
  struct area area = paint(SMALL_BYTES);
  stack_t stack = {.ss_sp = stack_of(&area), .ss_size = SMALL_BYTES};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) exit(2);
  // Whoever started this may block it.
  if (sigprocmask(SIG_UNBLOCK, &set, NULL) != 0 || raise(SIGUSR1) != 0) exit(2);
  expect_within(&area, "signal stack");
}

static pthread_barrier_t both_are_there;

static void *backwards_together(void *argument) {
  pthread_barrier_wait(&both_are_there);
  return argument == &pair ? backwards(argument) : backwards_elsewhere(argument);
}

void invert_on_two_small_threads(void) {
  on_other_thread(forwards, &pair), on_other_thread(forwards_elsewhere, &other_pair);
  pthread_barrier_init(&both_are_there, NULL, 2);
  pthread_t threads[] = {begin(backwards_together, &pair, PTHREAD_STACK_MIN),
                         begin(backwards_together, &other_pair, PTHREAD_STACK_MIN)};
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

// More than ThreadGuard keeps stacks for.
#define BUSY_THREADS 40

static int are_there[2], may_go[2];

static void stay(void *unused) {
  char byte = 0;
  (void)unused;
  if (write(are_there[1], &byte, 1) != 1 || read(may_go[0], &byte, 1) != 0) exit(2);
}

static void *stay_on_work_stack(void *argument) {
  if (!ctg_on_work_stack(stay, NULL)) exit(2);
  return argument;
}

// A child of fork has none of the threads that had the stacks.
void invert_after_fork(void) {
  pthread_t threads[BUSY_THREADS];
  char byte;
  on_other_thread(forwards, &pair);
  if (pipe(are_there) != 0 || pipe(may_go) != 0) exit(2);
  for (int i = 0; i < BUSY_THREADS; ++i) threads[i] = begin(stay_on_work_stack, NULL, 0);
  for (int i = 0; i < BUSY_THREADS; ++i)
    if (read(are_there[0], &byte, 1) != 1) exit(2);
  pid_t child = fork();
  if (child == 0) {
    invert_on_coroutine();
    exit(0);
  }
  int status;
  if (waitpid(child, &status, 0) != child || status != 0) exit(1);
  close(may_go[1]);
  for (int i = 0; i < BUSY_THREADS; ++i) pthread_join(threads[i], NULL);
  invert_on_coroutine();
}

static void write_to_nothing(void *address) { *(volatile int *)address = 1; }

// Its name stands in the crash report.
__attribute__((noinline)) static void calls_what_crashes(void *address) {
  ctg_on_work_stack(write_to_nothing, address);
  __asm__ volatile("");
}

void crash_on_work_stack(void) { calls_what_crashes((void *)16); }

// --- How much each function uses -----------------------------------------------------------------------------------

// What each function is called with: fresh for each call, `held` taken before it.
static struct objects {
  pthread_mutex_t held, mutex;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spinlock;
  pthread_cond_t condition;
  sem_t semaphore;
  pthread_t thread;
  struct ctg_thread_state *caller;
} * on;

static const struct timespec long_ago;

struct row {
  const char *name;
  void (*before)(void), (*call)(void), (*after)(void);
};

static void nothing(void) {}

static void unlock_mutex(void) { pthread_mutex_unlock(&on->mutex); }
static void unlock_rwlock(void) { pthread_rwlock_unlock(&on->rwlock); }
static void unlock_spinlock(void) { pthread_spin_unlock(&on->spinlock); }
static void lock_mutex(void) { pthread_mutex_lock(&on->mutex); }
static void write_rwlock(void) { pthread_rwlock_wrlock(&on->rwlock); }
static void lock_spinlock(void) { pthread_spin_lock(&on->spinlock); }
static void post(void) { sem_post(&on->semaphore); }

static void *end_at_once(void *argument) { return argument; }
static void begin_thread(void) { on->thread = begin(end_at_once, NULL, 0); }

static void *signal_condition(void *argument) {
  struct objects *objects = argument;
  pthread_mutex_lock(&objects->mutex);
  pthread_cond_signal(&objects->condition);
  pthread_mutex_unlock(&objects->mutex);
  return NULL;
}

static void expect_signal(void) {
  lock_mutex();
  on->thread = begin(signal_condition, on, 0);
}

static void got_signal(void) {
  unlock_mutex();
  pthread_join(on->thread, NULL);
}

#define CALL(name, call) \
  static void call_##name(void) { call; }

CALL(mutex_lock, pthread_mutex_lock(&on->mutex))
CALL(mutex_trylock, pthread_mutex_trylock(&on->mutex))
CALL(mutex_timedlock, pthread_mutex_timedlock(&on->mutex, &long_ago))
CALL(mutex_clocklock, pthread_mutex_clocklock(&on->mutex, CLOCK_MONOTONIC, &long_ago))
CALL(mutex_unlock, pthread_mutex_unlock(&on->mutex))
CALL(mutex_init, pthread_mutex_init(&on->mutex, NULL))
CALL(mutex_destroy, pthread_mutex_destroy(&on->mutex))
CALL(rwlock_rdlock, pthread_rwlock_rdlock(&on->rwlock))
CALL(rwlock_tryrdlock, pthread_rwlock_tryrdlock(&on->rwlock))
CALL(rwlock_wrlock, pthread_rwlock_wrlock(&on->rwlock))
CALL(rwlock_trywrlock, pthread_rwlock_trywrlock(&on->rwlock))
CALL(rwlock_timedrdlock, pthread_rwlock_timedrdlock(&on->rwlock, &long_ago))
CALL(rwlock_timedwrlock, pthread_rwlock_timedwrlock(&on->rwlock, &long_ago))
CALL(rwlock_clockrdlock, pthread_rwlock_clockrdlock(&on->rwlock, CLOCK_MONOTONIC, &long_ago))
CALL(rwlock_clockwrlock, pthread_rwlock_clockwrlock(&on->rwlock, CLOCK_MONOTONIC, &long_ago))
CALL(rwlock_unlock, pthread_rwlock_unlock(&on->rwlock))
CALL(rwlock_init, pthread_rwlock_init(&on->rwlock, NULL))
CALL(rwlock_destroy, pthread_rwlock_destroy(&on->rwlock))
CALL(spin_lock, pthread_spin_lock(&on->spinlock))
CALL(spin_trylock, pthread_spin_trylock(&on->spinlock))
CALL(spin_unlock, pthread_spin_unlock(&on->spinlock))
CALL(spin_init, pthread_spin_init(&on->spinlock, PTHREAD_PROCESS_PRIVATE))
CALL(spin_destroy, pthread_spin_destroy(&on->spinlock))
CALL(cond_wait, pthread_cond_wait(&on->condition, &on->mutex))
CALL(cond_timedwait, pthread_cond_timedwait(&on->condition, &on->mutex, &long_ago))
CALL(cond_clockwait, pthread_cond_clockwait(&on->condition, &on->mutex, CLOCK_MONOTONIC, &long_ago))
CALL(join, pthread_join(on->thread, NULL))
CALL(sem_wait, sem_wait(&on->semaphore))
CALL(sem_trywait, sem_trywait(&on->semaphore))
CALL(sem_timedwait, sem_timedwait(&on->semaphore, &long_ago))
CALL(sem_clockwait, sem_clockwait(&on->semaphore, CLOCK_MONOTONIC, &long_ago))
CALL(sem_post, sem_post(&on->semaphore))
CALL(sem_init, sem_init(&on->semaphore, 0, 1))

// What makes the call possible, and what undoes it.
#define mutex_lock_WITH nothing, call_mutex_lock, unlock_mutex
#define mutex_trylock_WITH nothing, call_mutex_trylock, unlock_mutex
#define mutex_timedlock_WITH nothing, call_mutex_timedlock, unlock_mutex
#define mutex_clocklock_WITH nothing, call_mutex_clocklock, unlock_mutex
#define mutex_unlock_WITH lock_mutex, call_mutex_unlock, nothing
#define mutex_init_WITH nothing, call_mutex_init, nothing
#define mutex_destroy_WITH nothing, call_mutex_destroy, nothing
#define rwlock_rdlock_WITH nothing, call_rwlock_rdlock, unlock_rwlock
#define rwlock_tryrdlock_WITH nothing, call_rwlock_tryrdlock, unlock_rwlock
#define rwlock_wrlock_WITH nothing, call_rwlock_wrlock, unlock_rwlock
#define rwlock_trywrlock_WITH nothing, call_rwlock_trywrlock, unlock_rwlock
#define rwlock_timedrdlock_WITH nothing, call_rwlock_timedrdlock, unlock_rwlock
#define rwlock_timedwrlock_WITH nothing, call_rwlock_timedwrlock, unlock_rwlock
#define rwlock_clockrdlock_WITH nothing, call_rwlock_clockrdlock, unlock_rwlock
#define rwlock_clockwrlock_WITH nothing, call_rwlock_clockwrlock, unlock_rwlock
#define rwlock_unlock_WITH write_rwlock, call_rwlock_unlock, nothing
#define rwlock_init_WITH nothing, call_rwlock_init, nothing
#define rwlock_destroy_WITH nothing, call_rwlock_destroy, nothing
#define spin_lock_WITH nothing, call_spin_lock, unlock_spinlock
#define spin_trylock_WITH nothing, call_spin_trylock, unlock_spinlock
#define spin_unlock_WITH lock_spinlock, call_spin_unlock, nothing
#define spin_init_WITH nothing, call_spin_init, nothing
#define spin_destroy_WITH nothing, call_spin_destroy, nothing
#define cond_wait_WITH expect_signal, call_cond_wait, got_signal
#define cond_timedwait_WITH lock_mutex, call_cond_timedwait, unlock_mutex
#define cond_clockwait_WITH lock_mutex, call_cond_clockwait, unlock_mutex
#define join_WITH begin_thread, call_join, nothing
#define sem_wait_WITH post, call_sem_wait, nothing
#define sem_trywait_WITH post, call_sem_trywait, nothing
#define sem_timedwait_WITH post, call_sem_timedwait, nothing
#define sem_clockwait_WITH post, call_sem_clockwait, nothing
#define sem_post_WITH nothing, call_sem_post, nothing
#define sem_init_WITH nothing, call_sem_init, nothing

// A function of the list that is not measured does not compile.
static const struct row rows[] = {
#define TAKES(name, parameters, arguments) {#name, name##_WITH},
#define GIVES(name, parameters, arguments) {#name, name##_WITH},
#define OTHER(name, parameters, arguments) {#name, name##_WITH},
#define SEMAPHORE(name, parameters, arguments) {#name, name##_WITH},
#include "interposed_by_threadguard.def"
};

// A mutex, a semaphore and so on that no earlier call has seen.
static void renew(void) {
  on = calloc(1, sizeof *on);
  if (!on || pthread_spin_init(&on->spinlock, PTHREAD_PROCESS_PRIVATE) != 0 || sem_init(&on->semaphore, 0, 0) != 0)
    exit(2);
}

static void run_call(void *row) { ((const struct row *)row)->call(); }

static void measure(const struct row *row, const char *kind) {
  row->before();
  struct area area = paint(AREA_BYTES);
  cgr_call_on_stack(run_call, (void *)row, area.low + AREA_BYTES);
  fprintf(stderr, "uses: %s %s %zu\n", row->name, kind, used(&area));
  munmap(area.low, AREA_BYTES);
  row->after();
}

// The other way round: all of these are taken before `held`.
static void *take_before_held(void *argument) {
  struct objects *objects = argument;
  pthread_mutex_lock(&objects->mutex), pthread_mutex_lock(&objects->held), pthread_mutex_unlock(&objects->held);
  pthread_mutex_unlock(&objects->mutex);
  pthread_rwlock_wrlock(&objects->rwlock), pthread_mutex_lock(&objects->held), pthread_mutex_unlock(&objects->held);
  pthread_rwlock_unlock(&objects->rwlock);
  pthread_spin_lock(&objects->spinlock), pthread_mutex_lock(&objects->held), pthread_mutex_unlock(&objects->held);
  pthread_spin_unlock(&objects->spinlock);
  return NULL;
}

static void measure_in_company(const struct row *row, bool is_inverted) {
  renew();
  if (is_inverted) on_other_thread(take_before_held, on);
  pthread_mutex_lock(&on->held);
  measure(row, is_inverted ? "inverted" : "in-order");
  pthread_mutex_unlock(&on->held);
}

// Until the caller has noted its stacks, which it does after it has waited for a while.
static void *hold_for_long(void *argument) {
  struct objects *objects = argument;
  pthread_mutex_lock(&objects->mutex);
  pthread_barrier_wait(&both_are_there);
  while (!(__atomic_load_n(&objects->caller->wanted.flags, __ATOMIC_SEQ_CST) & CTG_STACK_IS_KEPT)) sched_yield();
  pthread_mutex_unlock(&objects->mutex);
  return NULL;
}

static void expect_to_wait(void) {
  pthread_barrier_init(&both_are_there, NULL, 2);
  on->caller = ctg_thread_self;
  on->caller->wanted.flags = 0;
  on->thread = begin(hold_for_long, on, 0);
  pthread_barrier_wait(&both_are_there);
}

static void unlock_other_mutex(void) {
  pthread_mutex_lock(&on->mutex), pthread_mutex_unlock(&on->mutex);
  pthread_mutex_unlock(&on->mutex);
}

static void init_locked_mutex(void) { pthread_mutex_init(&on->mutex, NULL); }
static void destroy_locked_mutex(void) { pthread_mutex_destroy(&on->mutex); }
static void relock_condition(void) { pthread_cond_timedwait(&on->condition, &on->mutex, &long_ago); }

static const struct row special_rows[] = {
    {"mutex_lock-contended", expect_to_wait, call_mutex_lock, got_signal},
    {"mutex_unlock-twice", nothing, unlock_other_mutex, nothing},
    {"mutex_init-locked", lock_mutex, init_locked_mutex, nothing},
    {"mutex_destroy-locked", lock_mutex, destroy_locked_mutex, unlock_mutex},
    {"cond_timedwait-holding", lock_mutex, relock_condition, unlock_mutex},
};

void measure_stacks(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    for (int inverted = 0; inverted < 2; ++inverted) measure_in_company(&rows[i], inverted);
  for (size_t i = 0; i < sizeof special_rows / sizeof *special_rows; ++i) measure_in_company(&special_rows[i], false);
}
