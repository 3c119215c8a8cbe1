// Handlers of a fault that return before it is repaired, and are called again until it is.
#include <pthread.h>
#include <setjmp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "probe.h"

#define LATE_NS (300l * 1000 * 1000)
#define CALLS_BEFORE_REPAIR 50
#define CALLS_BEFORE_JUMP 1000

static _Atomic(char *) asked_for;
static atomic_int calls;
static sigjmp_buf place;

static void leave_to_another(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  atomic_store(&asked_for, (char *)info->si_addr);
  struct timespec millisecond = {0, 1000 * 1000};
  nanosleep(&millisecond, NULL);
}

// As a page that is fetched from far away.
static void *repair_later(void *page) {
  while (!atomic_load(&asked_for)) sched_yield();
  struct timespec time = {0, LATE_NS};
  nanosleep(&time, NULL);
  open_page(page);
  return NULL;
}

static void repair_at_last(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  if (atomic_fetch_add(&calls, 1) == CALLS_BEFORE_REPAIR) open_page(info->si_addr);
}

static void jump_at_last(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  if (atomic_fetch_add(&calls, 1) == CALLS_BEFORE_JUMP) siglongjmp(place, 1);
}

static char *page_with(void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = action_of(handler, 0);
  install_around(SIGSEGV, &action);
  return protected_page();
}

static int late_repair_by_another(void) {
  char *page = page_with(leave_to_another);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, repair_later, page) == 0);
  store(page);
  CHECK(pthread_join(thread, NULL) == 0 && page[0] == 1);
  say("all done\n");
  return 7;
}

static int late_repair_by_count(void) {
  char *page = page_with(repair_at_last);
  store(page);
  CHECK(page[0] == 1);
  say("all done\n");
  return 7;
}

static int late_jump(void) {
  char *page = page_with(jump_at_last);
  if (sigsetjmp(place, 1) == 0) store(page);
  say("all done\n");
  return 7;
}

// --- Handlers that wait, for more than a second ----------------------------------------------------------------------

static void wait_for(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&time, &time) != 0) continue;
}

static void try_again(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  wait_for(300);
  if (atomic_fetch_add(&calls, 1) == 4) siglongjmp(place, 1);
}

static int late_tries(void) {
  char *page = page_with(try_again);
  if (sigsetjmp(place, 1) == 0) store(page);
  say("all done\n");
  return 7;
}

static void wait_a_little(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  wait_for(10);
}

// A file that was too short, and grows.
static int late_repair_by_process(void) {
  struct sigaction action = action_of(wait_a_little, 0);
  install_around(SIGBUS, &action);
  FILE *file = tmpfile();
  CHECK(file);
  char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  CHECK(page != MAP_FAILED);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    wait_for(1300);
    _exit(ftruncate(fileno(file), 1) == 0 ? 0 : 1);
  }
  store(page);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  say("all done\n");
  return 7;
}

// --- Repairs that another thread undoes, for more than ten seconds ---------------------------------------------------

#define UNDONE_MS 16000

static atomic_bool is_over;

static void repair(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  open_page(info->si_addr);
}

static void *undo(void *page) {
  while (!atomic_load(&is_over)) CHECK(mprotect(page, 1, PROT_NONE) == 0);
  open_page(page);
  return NULL;
}

static void *end_later(void *argument) {
  wait_for(UNDONE_MS);
  atomic_store(&is_over, true);
  return argument;
}

// The same instruction faults with the same registers each time.
__attribute__((noinline)) static void store_until_over(volatile char *page) {
  while (!atomic_load_explicit(&is_over, memory_order_relaxed)) *page = 1;
}

static int late_repairs_undone(void) {
  char *page = page_with(repair);
  pthread_t undoing, ending;
  CHECK(pthread_create(&ending, NULL, end_later, NULL) == 0 && pthread_create(&undoing, NULL, undo, page) == 0);
  store_until_over(page);
  CHECK(pthread_join(undoing, NULL) == 0 && pthread_join(ending, NULL) == 0);
  say("all done\n");
  return 7;
}

// --- Overflows of coroutines whose stack lies just below the alternate stack -----------------------------------------

#define COROUTINE_BYTES (32 * 1024)
#define ALTERNATE_BYTES (64 * 1024)
#define OVERFLOWS 20

static void jump_out(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  siglongjmp(place, 1);
}

static volatile int depth;

__attribute__((noinline)) static int recurse(volatile char *above) {
  volatile char bytes[512];
  bytes[0] = above[0];
  depth = depth + 1;
  if (depth < 0) return 0;
  return recurse(bytes) + bytes[0];
}

static void overflow(void) {
  volatile char first = 1;
  recurse(&first);
}

static int overflows_below_alternate(void) {
  size_t guard = (size_t)sysconf(_SC_PAGESIZE), size = guard + COROUTINE_BYTES + ALTERNATE_BYTES;
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED && mprotect(memory, guard, PROT_NONE) == 0);
  stack_t alternate = {.ss_sp = memory + guard + COROUTINE_BYTES, .ss_size = ALTERNATE_BYTES};
  CHECK(sigaltstack(&alternate, NULL) == 0);
  struct sigaction action = action_of(jump_out, SA_ONSTACK);
  install_around(SIGSEGV, &action);
  ucontext_t back;
  static ucontext_t coroutine;
  for (volatile int i = 0; i < OVERFLOWS; ++i) {
    CHECK(getcontext(&coroutine) == 0);
    coroutine.uc_stack = (stack_t){.ss_sp = memory + guard, .ss_size = COROUTINE_BYTES};
    makecontext(&coroutine, overflow, 0);
    if (sigsetjmp(place, 1) == 0) CHECK(swapcontext(&back, &coroutine) == 0);
  }
  say("all done\n");
  return 7;
}

const probe late_probes[] = {
    {"overflows-below-alternate", overflows_below_alternate},
    {"late-repair-by-another", late_repair_by_another},
    {"late-repair-by-count", late_repair_by_count},
    {"late-jump", late_jump},
    {"late-tries", late_tries},
    {"late-repair-by-process", late_repair_by_process},
    {"late-repairs-undone", late_repairs_undone},
    {NULL, NULL},
};
