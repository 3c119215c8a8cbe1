// Stalls outside a stage of the report, or in all of them: what is left is the limit of the whole.

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "probe.h"
#include "report/report.h"

static void stall(void) {
  for (;;) __asm__ volatile("");
}

static int crash(void) {
  store((char *)8);
  return 7;
}

// --- In the report ----------------------------------------------------------------------------------------------

static void stall_in_any(size_t stage) {
  (void)stage;
  stall();
}

static int stall_everywhere(void) {
  install_crashkit();
  ck_report_stage_begins = stall_in_any;
  return crash();
}

static void *crash_with_all_blocked(void *argument) {
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
  crash();
  return argument;
}

// The signal of the time limit is among those that the thread blocks.
static int stall_with_signals_blocked(void) {
  install_crashkit();
  ck_report_stage_begins = stall_in_any;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, crash_with_all_blocked, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}

static pthread_barrier_t all_there;
static void *crash_together(void *argument) {
  pthread_barrier_wait(&all_there);
  crash();
  return argument;
}

static int stall_beside_crashes(void) {
  enum { CRASHING = 16 };
  pthread_t threads[CRASHING];
  install_crashkit();
  ck_report_stage_begins = stall_in_any;
  CHECK(pthread_barrier_init(&all_there, NULL, CRASHING) == 0);
  for (int i = 0; i < CRASHING; ++i) CHECK(pthread_create(&threads[i], NULL, crash_together, NULL) == 0);
  CHECK(pthread_join(threads[0], NULL) == 0);
  return 7;
}

// --- In the kernel ----------------------------------------------------------------------------------------------

// As on a file server that is gone, or in memory that somebody else has to page in: the call comes back to a signal
// only.
static void let_hang(int number) {
  // Nobody ever answers on the descriptor.
  filter_call(SECCOMP_FILTER_FLAG_NEW_LISTENER, number, SECCOMP_RET_USER_NOTIF);
}

static int hanging_call(void) {
  install_crashkit();
  let_hang(call_from_environment());
  return crash();
}

// --- In handlers that are not ours -----------------------------------------------------------------------------

static void stall_in_handler(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  stall();
}

static int stall_in_runtime_handler(void) {
  install_backtracer(stall_in_handler);
  install_crashkit();
  return crash();
}

// Where the limit's signal is blocked, a backtracer that hangs would hang for ever.
static void look_at_mask(int signal, siginfo_t *info, void *context) {
  uint64_t mask = 0;
  (void)signal, (void)info, (void)context;
  CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask) == 0);
  _exit(mask & 1ull << (SIGALRM - 1) ? 98 : 0);
}

static int limited_runtime_handler(void) {
  install_backtracer(look_at_mask);
  install_crashkit();
  return crash();
}

static char *page;
static void take_long(int signal) {
  (void)signal;
  struct timespec rest = {.tv_sec = 4, .tv_nsec = 500000000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
  open_page(page);
}

static int slow_repair(void) {
  page = protected_page();
  struct sigaction action = {.sa_handler = take_long};
  install_around(SIGSEGV, &action);
  store(page);
  return 0;
}

const probe stall_probes[] = {
    {"stall-everywhere", stall_everywhere},
    {"stall-with-signals-blocked", stall_with_signals_blocked},
    {"stall-beside-crashes", stall_beside_crashes},
    {"hanging-call", hanging_call},
    {"stall-in-runtime-handler", stall_in_runtime_handler},
    {"limited-runtime-handler", limited_runtime_handler},
    {"slow-repair", slow_repair},
    {NULL, NULL},
};
