// Filters of system calls, which containers put around a program.
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "probe.h"
#include "report/report.h"

static int crash(void) {
  store((char *)8);
  return 7;
}

static pthread_barrier_t barrier;

static void filter(int number, uint32_t answer) { CHECK(filter_call(SECCOMP_FILTER_FLAG_TSYNC, number, answer) == 0); }

static void *wait_there(void *argument) {
  pthread_barrier_wait(&barrier);
  for (;;) pause();
  return argument;
}

// PROBE_CALL is refused with EPERM, or with SIGSYS.
static int filtered_by(uint32_t answer) {
  install_beside(wait_there, &barrier);
  filter((int)number_from_environment("PROBE_CALL"), answer);
  if (getenv("PROBE_CALL_TOO")) filter((int)number_from_environment("PROBE_CALL_TOO"), answer);
  return crash();
}
static int filtered(void) { return filtered_by(SECCOMP_RET_ERRNO | EPERM); }
static int filtered_by_signal(void) { return filtered_by(SECCOMP_RET_TRAP); }

static void *wait_filtered(void *argument) {
  filter_call(0, (int)number_from_environment("PROBE_CALL"), SECCOMP_RET_TRAP);
  return wait_there(argument);
}

// Only the thread that the crashing one stops is refused the call.
static int filtered_bystander(void) {
  install_beside(wait_filtered, &barrier);
  return crash();
}

// The filter kills for PROBE_CALL_NAME: the thread that makes the call, or the process. PROBE_REACH names the threads
// that have the filter: "thread" is the crashing thread, "new" is a thread that it creates, and "all" is every thread.
static void *crash_in_new_thread(void *argument) {
  crash();
  return argument;
}
static int filtered_by_death(uint32_t answer) {
  const char *reach = getenv("PROBE_REACH");
  CHECK(reach);
  pthread_t thread = install_beside(wait_there, &barrier);
  if (strcmp(reach, "all") == 0)
    filter_call(SECCOMP_FILTER_FLAG_TSYNC, call_from_environment(), answer);
  else
    filter_call_by(by_prctl, 0, call_from_environment(), answer);
  if (strcmp(reach, "new") != 0) return crash();
  CHECK(pthread_create(&thread, NULL, crash_in_new_thread, NULL) == 0);
  pthread_join(thread, NULL);
  return 7;
}
static int filtered_by_threads_death(void) { return filtered_by_death(SECCOMP_RET_KILL_THREAD); }
static int filtered_by_process_death(void) { return filtered_by_death(SECCOMP_RET_KILL_PROCESS); }

static size_t chosen_stage;
static void stall_there(size_t stage) {
  if (stage == chosen_stage)
    for (;;) __asm__ volatile("");
}

static int filtered_without_timer(void) {
  install_crashkit();
  chosen_stage = number_from_environment("PROBE_STAGE");
  ck_report_stage_begins = stall_there;
  filter(SYS_timer_create, SECCOMP_RET_ERRNO | EPERM);
  return crash();
}

static int filtered_and_used_up(void) {
  install_crashkit();
  filter(SYS_process_vm_readv, SECCOMP_RET_ERRNO | EPERM);
  struct rlimit limit = {64, 64};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  while (open("/dev/null", O_RDONLY) >= 0) {
  }
  return crash();
}

#define ALLOWED_MAX 32
static void allow_only(const int *allowed, size_t allowed_count, uint32_t answer) {
  CHECK(allowed_count <= ALLOWED_MAX);
  struct sock_filter rules[2 * ALLOWED_MAX + 2] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  size_t count = 1;
  for (size_t i = 0; i < allowed_count; ++i) {
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
  set_filter(by_seccomp, 0, rules, count);
}

// What a program needs that reads, writes and ends.
static const int few_calls[] = {SYS_read, SYS_write, SYS_exit_group, SYS_rt_sigreturn};
static void kill_for_all_else(void) {
  allow_only(few_calls, sizeof few_calls / sizeof *few_calls, SECCOMP_RET_KILL_PROCESS);
}

// One thread is in the sandbox, another one is not.
static int crash_in_sandbox(void) {
  install_beside(wait_there, &barrier);
  allow_only(few_calls, sizeof few_calls / sizeof *few_calls, SECCOMP_RET_KILL_THREAD);
  return crash();
}

static int crash_in_strict_mode(void) {
  install_crashkit();
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  return crash();
}

static volatile sig_atomic_t seen;
static void note_signal(int signal) { seen = signal; }
static void *raise_there(void *argument) {
  raise(SIGUSR1);
  return argument;
}

// No call is allowed besides those that this program and libc make without CrashKit.
static int lives_in_sandbox(void) {
  static const int allowed[] = {
      SYS_read,
      SYS_write,
      SYS_exit,
      SYS_exit_group,
      SYS_rt_sigreturn,
      SYS_mmap,
      SYS_munmap,
      SYS_mprotect,
      SYS_madvise,
      SYS_clone,
      SYS_clone3,
      SYS_futex,
      SYS_set_robust_list,
      SYS_rseq,
      SYS_rt_sigaction,
      SYS_rt_sigprocmask,
      SYS_tgkill,
      SYS_getpid,
      SYS_gettid,
      SYS_brk,
      SYS_sched_getaffinity,
      SYS_prlimit64,
  };
  install_crashkit();
  allow_only(allowed, sizeof allowed / sizeof *allowed, SECCOMP_RET_KILL_PROCESS);
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, raise_there, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(seen == SIGUSR1);
  return 7;
}

static int exit_filtered(void) {
  install_crashkit();
  kill_for_all_else();
  return 7;
}
static int exit_at_once_filtered(void) {
  install_crashkit();
  kill_for_all_else();
  _exit(7);
}
static int exit_quickly_filtered(void) {
  install_crashkit();
  kill_for_all_else();
  quick_exit(7);
}

// As a server that hands what it was sent to a child with no rights.
static int exit_filtered_child(void) {
  install_crashkit();
  pid_t child = fork();
  if (child == 0) {
    kill_for_all_else();
    exit(7);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// libseccomp and browsers ask so whether the kernel knows filters.
static int asks_for_filters(void) {
  install_crashkit();
  filter_call(0, SYS_rt_sigprocmask, SECCOMP_RET_ERRNO | EPERM);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT);
  CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT);
  return 7;
}

// A filter that the kernel refuses bars nothing: the crash has its report.
static int crash_after_refused_filter(void) {
  install_crashkit();
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  struct sock_filter rules[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD), BPF_STMT(0xff, 0)};
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1 && errno == EINVAL);
  return crash();
}

static int crash_filtered_by_syscall(void) {
  install_crashkit();
  CHECK(syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  filter_call_by(by_call_of_prctl, 0, SYS_timer_create, SECCOMP_RET_KILL_THREAD);
  return crash();
}

// The kernel runs the handler as the call that sets the filter returns.
static int signals_come_with_filter(void) {
  install_crashkit();
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval often = {{0, 20}, {0, 20}};
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  static const int killing[] = {SYS_sigaltstack, SYS_getpid, SYS_gettid};
  for (size_t i = 0; i < sizeof killing / sizeof *killing; ++i) filter_call(0, killing[i], SECCOMP_RET_KILL_PROCESS);
  seen = 0;
  while (!seen) continue;
  return 7;
}

static int abort_without_actions(void) {
  install_crashkit();
  filter_call(0, SYS_rt_sigaction, SECCOMP_RET_KILL_PROCESS);
  abort();
}

// As a browser's sandbox does: signals for the own process alone. `abort` makes that call itself.
static int abort_with_own_signals_only(void) {
  install_crashkit();
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  set_filter(by_prctl, 0, rules, sizeof rules / sizeof *rules);
  abort();
}

// The program's own call meets the program's own filter.
static int own_stack_is_forbidden(void) {
  install_crashkit();
  static uint8_t memory[65536];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  filter_call(0, SYS_sigaltstack, SECCOMP_RET_KILL_PROCESS);
  sigaltstack(&stack, NULL);
  return 7;
}

// libc creates the thread by itself.
static sem_t done;
static void set_action_there(union sigval value) {
  (void)value;
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
  sem_post(&done);
}
static int timer_thread_is_filtered(void) {
  install_beside(wait_there, &barrier);
  CHECK(sem_init(&done, 0, 0) == 0);
  filter_call(0, SYS_getpid, SECCOMP_RET_KILL_PROCESS);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = set_action_there};
  struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
  CHECK(sem_wait(&done) == 0);
  return 7;
}

const probe filter_probes[] = {
    {"filtered", filtered},
    {"filtered-by-signal", filtered_by_signal},
    {"filtered-bystander", filtered_bystander},
    {"filtered-without-timer", filtered_without_timer},
    {"filtered-and-used-up", filtered_and_used_up},
    {"filtered-by-threads-death", filtered_by_threads_death},
    {"filtered-by-process-death", filtered_by_process_death},
    {"crash-in-sandbox", crash_in_sandbox},
    {"crash-in-strict-mode", crash_in_strict_mode},
    {"lives-in-sandbox", lives_in_sandbox},
    {"asks-for-filters", asks_for_filters},
    {"crash-after-refused-filter", crash_after_refused_filter},
    {"crash-filtered-by-syscall", crash_filtered_by_syscall},
    {"signals-come-with-filter", signals_come_with_filter},
    {"abort-without-actions", abort_without_actions},
    {"abort-with-own-signals-only", abort_with_own_signals_only},
    {"own-stack-is-forbidden", own_stack_is_forbidden},
    {"timer-thread-is-filtered", timer_thread_is_filtered},
    {"exit-filtered", exit_filtered},
    {"exit-at-once-filtered", exit_at_once_filtered},
    {"exit-quickly-filtered", exit_quickly_filtered},
    {"exit-filtered-child", exit_filtered_child},
    {NULL, NULL},
};
