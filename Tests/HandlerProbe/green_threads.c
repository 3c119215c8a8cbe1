// Green threads that a timer's signal preempts, also while their own handler repairs a fault. A preempted one goes on
// later, perhaps on another kernel thread: what its handler was called with must go along.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "probe.h"

#define GREEN_THREADS 16
#define STACK_BYTES (128 * 1024)
#define ROUNDS 400
#define USUAL_TICK_NS 100000
#define TICK_NS_MAX 500000000
#define KERNEL_THREADS_MAX 2

typedef struct green_thread {
  ucontext_t context;
  char *page;
  long tick_ns;  // how long it may run next
  struct green_thread *next;
  bool is_done;
} green_thread;

static green_thread green_threads[GREEN_THREADS];
static green_thread *queue_first, **queue_last = &queue_first;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int unfinished = GREEN_THREADS;
static long tick_ns;

static _Thread_local ucontext_t scheduler;
static _Thread_local green_thread *running;

static sigset_t only_tick(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGVTALRM);
  return set;
}

static void preempt(int signal) {
  (void)signal;
  // A green thread may go on elsewhere: the kernel thread's words are read only here, where the tick is blocked.
  if (running) swapcontext(&running->context, &scheduler);
}

static void repair(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  char *page = info->si_addr;
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  // Long enough to be preempted now and then.
  end.tv_nsec += tick_ns / 8;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
  CHECK(info->si_addr == page);
  open_page(page);
}

// The same fault with the same registers each time, as of a write barrier in a loop.
static void green_main(int index) {
  green_thread *self = &green_threads[index];
  sigset_t tick = only_tick();
  CHECK(pthread_sigmask(SIG_UNBLOCK, &tick, NULL) == 0);
  double sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    sum += round;
    self->tick_ns = tick_ns;
    store(self->page);
    CHECK(self->page[0] == 1);
    close_page(self->page);
  }
  CHECK(sum == (double)ROUNDS * (ROUNDS - 1) / 2);
  atomic_fetch_sub(&unfinished, 1);
  // Not before: one that is done does not go on, if a tick comes in between.
  self->is_done = true;
  for (;;) raise(SIGVTALRM);
}

static void put(green_thread *thread) {
  pthread_mutex_lock(&queue_lock);
  thread->next = NULL;
  *queue_last = thread;
  queue_last = &thread->next;
  pthread_mutex_unlock(&queue_lock);
}

static green_thread *take(void) {
  pthread_mutex_lock(&queue_lock);
  green_thread *first = queue_first;
  if (first) queue_first = first->next;
  if (!queue_first) queue_last = &queue_first;
  pthread_mutex_unlock(&queue_lock);
  return first;
}

static void prepare(int index) {
  green_thread *thread = &green_threads[index];
  thread->page = protected_page();
  thread->tick_ns = tick_ns;
  CHECK(getcontext(&thread->context) == 0);
  thread->context.uc_sigmask = only_tick();  // until it is on its own stack
  char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  thread->context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
  makecontext(&thread->context, (void (*)(void))green_main, 1, index);
  put(thread);
}

static timer_t make_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  return timer;
}

// A tick begins as the green thread goes on, and each further one within a round is twice as long: on a slow machine, a
// tick may be over before the thread gets any further.
static void start_tick(timer_t timer, green_thread *thread) {
  struct itimerspec once = {.it_value = {0, thread->tick_ns}};
  CHECK(timer_settime(timer, 0, &once, NULL) == 0);
  if (thread->tick_ns < TICK_NS_MAX / 2) thread->tick_ns *= 2;
}

// The scheduler's own context has the timer's signal blocked.
static void *schedule(void *argument) {
  sigset_t tick = only_tick();
  CHECK(pthread_sigmask(SIG_BLOCK, &tick, NULL) == 0);
  timer_t timer = make_timer();
  while (atomic_load(&unfinished) > 0) {
    green_thread *thread = take();
    if (!thread) continue;
    running = thread;
    start_tick(timer, thread);
    CHECK(swapcontext(&scheduler, &thread->context) == 0);
    running = NULL;
    if (!thread->is_done) put(thread);
  }
  timer_delete(timer);
  return argument;
}

static int preempt_repairs(int kernel_threads, int flags, bool blocks_all) {
  tick_ns = getenv("PROBE_TICK_NS") ? (long)number_from_environment("PROBE_TICK_NS") : USUAL_TICK_NS;
  struct sigaction repairs = action_of(repair, flags), ticks = {.sa_handler = preempt, .sa_flags = SA_RESTART};
  if (blocks_all) sigfillset(&ticks.sa_mask);
  CHECK(sigaction(SIGVTALRM, &ticks, NULL) == 0);
  install_around(SIGSEGV, &repairs);
  for (int i = 0; i < GREEN_THREADS; ++i) prepare(i);
  pthread_t threads[KERNEL_THREADS_MAX];
  for (int i = 0; i < kernel_threads; ++i) CHECK(pthread_create(&threads[i], NULL, schedule, NULL) == 0);
  for (int i = 0; i < kernel_threads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  say("all done\n");
  return 7;
}

static int green_repairs(void) { return preempt_repairs(1, 0, false); }
static int green_repairs_nodefer(void) { return preempt_repairs(1, SA_NODEFER, true); }
static int green_repairs_moving(void) { return preempt_repairs(KERNEL_THREADS_MAX, 0, true); }
static int green_repairs_moving_nodefer(void) { return preempt_repairs(KERNEL_THREADS_MAX, SA_NODEFER, false); }

// --- A switch of contexts from a place where all signals are blocked -------------------------------------------------

// The preempted one has the highest stack: those of the others lie where frames of its handler could be.
enum { PREEMPTED, ENDS, FAULTS, SHARERS };
static ucontext_t sharers[SHARERS], back;
static char *shared_page;

static void leave_handler(int signal) {
  (void)signal;
  CHECK(swapcontext(&sharers[PREEMPTED], &back) == 0);
}
static void open_shared(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  open_page(info->si_addr);
}
static void be_preempted(void) { CHECK(raise(SIGVTALRM) == 0); }
static void end_blocked(void) {
  sigset_t set;
  sigfillset(&set);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  setcontext(&back);
}
static void fault_once(void) {
  close_page(shared_page);
  store(shared_page);
}

static int green_ends_blocked(void) {
  static void (*const functions[])(void) = {be_preempted, end_blocked, fault_once};
  shared_page = protected_page();
  struct sigaction repairs = action_of(open_shared, 0), ticks = {.sa_handler = leave_handler, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGVTALRM, &ticks, NULL) == 0);
  install_around(SIGSEGV, &repairs);
  char *stacks = mmap(NULL, SHARERS * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stacks != MAP_FAILED);
  for (int i = 0; i < SHARERS; ++i) {
    CHECK(getcontext(&sharers[i]) == 0);
    char *stack = stacks + (SHARERS - 1 - i) * STACK_BYTES;
    sharers[i].uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    sharers[i].uc_link = &back;
    makecontext(&sharers[i], functions[i], 0);
  }
  for (int i = 0; i < SHARERS; ++i) CHECK(swapcontext(&back, &sharers[i]) == 0);
  CHECK(swapcontext(&back, &sharers[PREEMPTED]) == 0);
  say("all done\n");
  return 7;
}

const probe green_probes[] = {
    {"green-repairs", green_repairs},
    {"green-repairs-nodefer", green_repairs_nodefer},
    {"green-repairs-moving", green_repairs_moving},
    {"green-repairs-moving-nodefer", green_repairs_moving_nodefer},
    {"green-ends-blocked", green_ends_blocked},
    {NULL, NULL},
};
