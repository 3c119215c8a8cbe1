// The handler's time limit. System calls only, but for libc's sigaction through a pointer taken at install.

#include "death/deadline.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/time.h>

#include "CProcessHooks.h"
#include "CGround/clock.h"
#include "death/death.h"
#include "processor/guard.h"
#include "CGround/memory.h"
#include "report/report.h"
#include "CGround/syscalls.h"

// The value tells our timer from the program's, whose signals do nothing while the report is made.
#define DEADLINE_SIGNAL SIGALRM
// The timer goes off again after this long.
#define REPEAT_NS 250000000
static char cookie;

static int timer = -1;
static bool for_process;  // the process's one timer, where none of the thread's own could be had
static int limited_tid;
static uint64_t soft_limit_ns, hard_limit_ns;
static int dying_of;
static siginfo_t dying_info;
static void (*give_up)(void);
static bool is_set;  // our action for the signal, in the place of the program's
static struct sigaction programs_action;
static struct itimerval programs_timer;
static _Atomic bool programs_signal_came;

static void pass_on(void) { cgr_syscall3(SYS_tgkill, cgr_syscall0(SYS_getpid), limited_tid, DEADLINE_SIGNAL); }

static bool is_there(const struct timeval *time) { return time->tv_sec != 0 || time->tv_usec != 0; }

// A timer that goes off faster than signals are delivered would leave the report no time.
static void hold_programs_timer(void) {
  static const struct itimerval off;
  struct itimerval found = {{0, 0}, {0, 0}};
  cgr_syscall3(SYS_setitimer, ITIMER_REAL, &off, &found);
  // Between a signal and its delivery a timer that repeats has no time left.
  if (!is_there(&found.it_value)) found.it_value = found.it_interval;
  if (is_there(&found.it_value)) programs_timer = found;
}

static void on_programs_signal(bool limited) {
  atomic_store_explicit(&programs_signal_came, true, memory_order_relaxed);
  if (limited) hold_programs_timer();
}

static void on_deadline(int signal, siginfo_t *info, void *context) {
  (void)signal;
  bool own = info->si_code == SI_TIMER && info->si_value.sival_ptr == &cookie;
  bool limited = (int)cgr_syscall0(SYS_gettid) == limited_tid;
  if (!own && !for_process) return on_programs_signal(limited);
  uint64_t now = cgr_monotonic_ns();
  if (now < soft_limit_ns) return;
  // Another thread waits for the limited one a little longer, which has to give up first.
  if (now >= hard_limit_ns + (limited ? 0 : REPEAT_NS)) {
    if (limited) give_up();
    ck_die_now(dying_of, &dying_info);
  }
  if (!limited) return pass_on();
  cgr_report_out_of_time = true;
  // By the return, which opens the signal again. Were it open here, a timer that is faster than this handler would fill
  // the stack with handlers inside each other.
  if (ck_guard_current && cgr_guard_held == 0) ck_context_jump(context, &ck_guard_current->jump);
}

static void arm(uint64_t first_ns) {
  // The thread may have the signal blocked, as a handler has.
  uint64_t one = 1ull << (DEADLINE_SIGNAL - 1);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, 8);
  if (for_process) {
    struct itimerval times = {
        .it_value = {.tv_sec = (time_t)(first_ns / 1000000000), .tv_usec = (long)(first_ns % 1000000000 / 1000)},
        .it_interval = {.tv_sec = 0, .tv_usec = REPEAT_NS / 1000},
    };
    cgr_syscall3(SYS_setitimer, ITIMER_REAL, &times, NULL);
    return;
  }
  struct itimerspec times = {
      .it_value = {.tv_sec = (time_t)(first_ns / 1000000000), .tv_nsec = (long)(first_ns % 1000000000)},
      .it_interval = {.tv_sec = 0, .tv_nsec = REPEAT_NS},
  };
  cgr_syscall4(SYS_timer_settime, timer, 0, &times, NULL);
}

void ck_deadline_start(int signal, const siginfo_t *info, void (*gives_up)(void)) {
  dying_of = signal;
  give_up = gives_up;
  cgr_copy(&dying_info, info, sizeof dying_info);
  soft_limit_ns = cgr_monotonic_ns() + CK_SOFT_LIMIT_NS;
  hard_limit_ns = cgr_monotonic_ns() + CK_HARD_LIMIT_NS;
  limited_tid = (int)cgr_syscall0(SYS_gettid);
  timer = -1;
  struct sigaction action;
  cgr_zero(&action, sizeof action);
  action.sa_sigaction = on_deadline;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  is_set = cph_own_sigaction(DEADLINE_SIGNAL, &action, &programs_action) == 0;
  if (!is_set) return;
  struct {
    void *value;
    int signal;
    int notify;
    int tid;
    char rest[44];
  } event = {.value = &cookie, .signal = DEADLINE_SIGNAL, .notify = 4 /* SIGEV_THREAD_ID */};
  _Static_assert(sizeof event == 64, "the kernel's struct sigevent");
  event.tid = limited_tid;
  for_process = cgr_syscall3(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0;
  arm(CK_SOFT_LIMIT_NS);
}

void ck_deadline_restart(uint64_t limit_ns) {
  soft_limit_ns = hard_limit_ns = cgr_monotonic_ns() + limit_ns;
  arm(limit_ns);
}

void ck_deadline_stop(void) {
  struct itimerval off = {{0, 0}, {0, 0}};
  if (for_process) cgr_syscall3(SYS_setitimer, ITIMER_REAL, &off, NULL);
  if (timer >= 0) cgr_syscall1(SYS_timer_delete, timer);
  timer = -1;
  // None of ours is under way any more. The caller opens the signal again once its frames are safe from a handler.
  uint64_t one = 1ull << (DEADLINE_SIGNAL - 1);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &one, NULL, 8);
  if (!is_set || for_process) return;
  cph_own_sigaction(DEADLINE_SIGNAL, &programs_action, NULL);
  if (is_there(&programs_timer.it_value)) cgr_syscall3(SYS_setitimer, ITIMER_REAL, &programs_timer, NULL);
  if (atomic_load_explicit(&programs_signal_came, memory_order_relaxed)) pass_on();
}
