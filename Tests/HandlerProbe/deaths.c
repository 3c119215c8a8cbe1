// Ways to die. Each waits for nothing and has no handler of its own.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "probe.h"
#include "processor.h"
#include "report/report.h"
#include "threads/thread_stopping.h"

static int null_read(void) {
  install_crashkit();
  return *(volatile int *)8;
}

static int abort_itself(void) {
  install_crashkit();
  abort();
}

static int raise_it(int signal) {
  install_crashkit();
  raise(signal);
  return 7;
}
static int raise_segv(void) { return raise_it(SIGSEGV); }
static int raise_bus(void) { return raise_it(SIGBUS); }
static int raise_ill(void) { return raise_it(SIGILL); }
static int raise_trap(void) { return raise_it(SIGTRAP); }
static int raise_fpe(void) { return raise_it(SIGFPE); }
static int raise_abrt(void) { return raise_it(SIGABRT); }
static int raise_sys(void) { return raise_it(SIGSYS); }

// Another process sends it. This one takes it nowhere but where it waits, so that cores are of one place.
static int sent(bool queued) {
  install_crashkit();
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGSEGV);
  sigprocmask(SIG_BLOCK, &one, &before);
  pid_t target = getpid();
  pid_t child = fork();
  if (child == 0) {
    union sigval value = {.sival_int = 77};
    if (queued)
      sigqueue(target, SIGSEGV, value);
    else
      kill(target, SIGSEGV);
    _exit(0);
  }
  for (;;) sigsuspend(&before);
}
static int kill_segv(void) { return sent(false); }
static int queue_segv(void) { return sent(true); }

static int breakpoint(void) {
  install_crashkit();
  BREAKPOINT();
  return 7;
}

static int trap(void) {
  install_crashkit();
  __builtin_trap();
}

static int divide_by_zero(void) {
  // All three: compilers divide 1 by anything without a division, and leave out what nobody reads.
  volatile int one = 1, zero = 0, quotient;
#if defined(__aarch64__)
  raise(SIGFPE);  // the processor divides by zero without complaint
#endif
  quotient = one / zero;
  return quotient;
}

static int divide(void) {
  install_crashkit();
  return divide_by_zero();
}

static int system_call(void) {
  install_crashkit();
  CHECK(filter_call(SECCOMP_FILTER_FLAG_TSYNC, SYS_acct, SECCOMP_RET_TRAP) == 0);
  syscall(SYS_acct, NULL);
  return 7;
}

static int bus(void) {
  install_crashkit();
  int file = memfd_create("short", 0);
  volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  return *page;
}

#if defined(__x86_64__)
#define ASTRAY 0x4141414141414140
static int stack_astray_push(void) {
  install_crashkit();
  __asm__ volatile("movq %0, %%rsp\n pushq %%rax" : : "r"(ASTRAY));
  return 7;
}
static int stack_astray_call(void) {
  install_crashkit();
  __asm__ volatile("movq %0, %%rsp\n call abort" : : "r"(ASTRAY));
  return 7;
}
static int stack_astray_return(void) {
  install_crashkit();
  __asm__ volatile("movq %0, %%rsp\n ret" : : "r"(ASTRAY));
  return 7;
}
static int stack_astray_load(void) {
  install_crashkit();
  __asm__ volatile("movq %0, %%rsp\n movq 16(%%rsp), %%rax" : : "r"(ASTRAY) : "rax");
  return 7;
}
static int frame_astray_load(void) {
  install_crashkit();
  __asm__ volatile("movq %0, %%rbp\n movq -16(%%rbp), %%rax" : : "r"(ASTRAY) : "rax");
  return 7;
}
static int frame_astray_leave(void) {
  install_crashkit();
  __asm__ volatile("movq %0, %%rbp\n leave" : : "r"(ASTRAY));
  return 7;
}
#endif

static int overflow(volatile char *outer) {
  volatile char space[4096];
  space[0] = outer[0];
  if (outer[0] != 0) return 1;
  return overflow(space) + space[1];
}
static int stack_overflow(void) {
  install_crashkit();
  volatile char start[1] = {0};
  return overflow(start);
}
static void *overflow_on_thread(void *argument) {
  volatile char start[1] = {0};
  overflow(start);
  return argument;
}
static int thread_stack_overflow(void) {
  install_crashkit();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, overflow_on_thread, NULL) == 0);
  pthread_join(thread, NULL);
  return 7;
}

// --- Several at once -------------------------------------------------------------------------------------------

static pthread_barrier_t barrier;
static void *crash_together(void *way) {
  pthread_barrier_wait(&barrier);
  switch ((intptr_t)way % 4) {
    case 0: store((char *)8); break;
    case 1: store((char *)16); break;
    case 2: overflow_on_thread(NULL); break;
    default: store((char *)0x4141414141410000);
  }
  return NULL;
}

static int sixteen_at_once(void) {
  install_crashkit();
  pthread_barrier_init(&barrier, NULL, 16);
  pthread_t threads[16];
  for (intptr_t i = 0; i < 16; ++i) CHECK(pthread_create(&threads[i], NULL, crash_together, (void *)i) == 0);
  pthread_join(threads[0], NULL);
  return 7;
}

static _Atomic bool now;
static void *crash_beside(void *way) {
  pthread_barrier_wait(&barrier);
  while (!now) __asm__ volatile("");
  switch ((intptr_t)way) {
    case 0: store((char *)16); break;
    case 1: divide_by_zero(); break;
    default: abort();
  }
  return NULL;
}

// In the report's first stage, before any thread is asked to stop: the others have handed over their faults then.
static void let_crash_beside(size_t stage) {
  if (stage != 0) return;
  now = true;
  while (ck_threads_answers() < 3) __asm__ volatile("");
}

static int crashes_beside(void) {
  install_crashkit();
  ck_report_stage_begins = let_crash_beside;
  pthread_barrier_init(&barrier, NULL, 4);
  pthread_t thread;
  for (intptr_t i = 0; i < 3; ++i) CHECK(pthread_create(&thread, NULL, crash_beside, (void *)i) == 0);
  pthread_barrier_wait(&barrier);
  store((char *)8);
  return 7;
}

static void *crash_alone(void *argument) {
  store((char *)8);
  return argument;
}

// A thread that takes every signal by waiting for it must not be given one that it could act on.
static void *wait_for_signals(void *argument) {
  sigset_t all;
  sigfillset(&all);
  pthread_barrier_wait(&barrier);
  int signal;
  sigwait(&all, &signal);
  _exit(50 + signal);
  return argument;
}

static int signal_waiter(void) {
  install_crashkit();
  sigset_t all, before;
  sigfillset(&all);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t waiter, thread;
  pthread_sigmask(SIG_BLOCK, &all, &before);
  CHECK(pthread_create(&waiter, NULL, wait_for_signals, NULL) == 0);
  pthread_barrier_wait(&barrier);
  // Until the waiter sleeps in the kernel.
  for (char state = 0; state != 'S';) {
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid() + 1);
    FILE *file = fopen(path, "r");
    if (!file) break;
    if (fgets(text, sizeof text, file)) {
      char *end = strrchr(text, ')');
      state = end ? end[2] : 0;
    }
    fclose(file);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  CHECK(pthread_create(&thread, NULL, crash_alone, NULL) == 0);
  pthread_join(thread, NULL);
  return 7;
}

const probe death_probes[] = {
    {"null-read", null_read},
    {"abort", abort_itself},
    {"raise-segv", raise_segv},
    {"raise-bus", raise_bus},
    {"raise-ill", raise_ill},
    {"raise-trap", raise_trap},
    {"raise-fpe", raise_fpe},
    {"raise-abrt", raise_abrt},
    {"raise-sys", raise_sys},
    {"kill-segv", kill_segv},
    {"queue-segv", queue_segv},
    {"breakpoint", breakpoint},
    {"trap", trap},
    {"divide", divide},
    {"system-call", system_call},
    {"bus", bus},
    {"stack-overflow", stack_overflow},
    {"thread-stack-overflow", thread_stack_overflow},
#if defined(__x86_64__)
    {"stack-astray-push", stack_astray_push},
    {"stack-astray-call", stack_astray_call},
    {"stack-astray-return", stack_astray_return},
    {"stack-astray-load", stack_astray_load},
    {"frame-astray-load", frame_astray_load},
    {"frame-astray-leave", frame_astray_leave},
#endif
    {"sixteen-at-once", sixteen_at_once},
    {"crashes-beside", crashes_beside},
    {"signal-waiter", signal_waiter},
    {NULL, NULL},
};
