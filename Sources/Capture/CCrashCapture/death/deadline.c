// The handler's time limit. System calls only, except libc's sigaction through a pointer taken at install.

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
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"

// The value separates CrashKit's timer from the program's, whose signals do nothing while the report is made.
#define DEADLINE_SIGNAL SIGALRM
// So often the timer goes off.
#define LOOK_NS 250000000
// If there is so much between two looks at the clock, no thread ran: a signal or a debugger had stopped the process, or
// its control group was frozen. That time does not count.
#define PAUSE_NS 1000000000
// So much longer other threads wait for the limited one, which has to give up first.
#define MARGIN_NS (2 * LOOK_NS)
static char cookie;

static int timer = -1;
static bool for_process;  // the process's one timer, where none of the thread's own could be had
static int limited_tid;
static uint64_t soft_limit_ns;
static _Atomic uint64_t hard_limit_ns;  // 0: there is none
static _Atomic uint64_t looked_ns;      // when a thread looked at the clock last
static _Atomic uint64_t spent_ns;       // of the limits
static uint64_t pause_ns;               // see PAUSE_NS
static bool breaks_off;                 // the timer's signal ends a system call, which is not begun again
static int dying_of;
static siginfo_t dying_info;
static void (*give_up)(void);
static bool is_set;  // our action for the signal, in the place of the program's
static struct sigaction programs_action;
static struct itimerval programs_timer;
static _Atomic bool programs_signal_came;
static _Atomic bool is_over;  // the program's action is back

static void send_to(int tid) { cgr_syscall3(SYS_tgkill, cgr_process_id(), tid, DEADLINE_SIGNAL); }
static void pass_on(void) { send_to(limited_tid); }

// How much of the limits is spent. Each look counts, so that pauses cannot put off the end for ever.
static uint64_t spend(void) {
  uint64_t now = cgr_monotonic_ns(), before = atomic_load(&looked_ns);
  while (now > before) {
    if (!atomic_compare_exchange_weak(&looked_ns, &before, now)) continue;
    uint64_t gap = now - before < pause_ns ? now - before : LOOK_NS;
    return atomic_fetch_add(&spent_ns, gap) + gap;
  }
  return atomic_load(&spent_ns);
}

static void begin_spending(uint64_t soft_ns, uint64_t hard_ns, uint64_t longest_gap_ns) {
  atomic_store(&hard_limit_ns, 0);
  pause_ns = longest_gap_ns;
  atomic_store(&looked_ns, cgr_monotonic_ns());
  atomic_store(&spent_ns, 0);
  soft_limit_ns = soft_ns;
  atomic_store(&hard_limit_ns, hard_ns);
}

uint64_t ck_deadline_looked_ns(void) { return atomic_load(&looked_ns); }

void ck_deadline_keep(void) {
  uint64_t limit = atomic_load(&hard_limit_ns);
  if (limit != 0 && spend() >= limit + MARGIN_NS) ck_die_now(dying_of, &dying_info);
}

static bool is_there(const struct timeval *time) { return time->tv_sec != 0 || time->tv_usec != 0; }

static void keep_programs_timer(struct itimerval found) {
  // Between a signal and its delivery a timer that repeats has no time left.
  if (!is_there(&found.it_value)) found.it_value = found.it_interval;
  if (is_there(&found.it_value)) programs_timer = found;
}

// A timer that goes off faster than signals are delivered would leave the report no time.
static void hold_programs_timer(void) {
  static const struct itimerval off;
  struct itimerval found = {{0, 0}, {0, 0}};
  cgr_syscall3(SYS_setitimer, ITIMER_REAL, &off, &found);
  keep_programs_timer(found);
}

// A thread that was stopped before its handler began comes here when all is over, and sends the signal to the program's
// action. What came in between is one signal, as in the kernel.
static void on_programs_signal(bool limited) {
  atomic_store(&programs_signal_came, true);
  if (limited) return hold_programs_timer();
  if (atomic_load(&is_over) && atomic_exchange(&programs_signal_came, false)) send_to((int)cgr_thread_id());
}

static void on_deadline(int signal, siginfo_t *info, void *context);

// A filter of system calls may claim that the action is set.
static bool set_action(struct sigaction *before) {
  struct sigaction action, now;
  cgr_zero(&action, sizeof action);
  cgr_zero(&now, sizeof now);
  action.sa_sigaction = on_deadline;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | (breaks_off ? 0 : SA_RESTART);
  if (cph_own_sigaction(DEADLINE_SIGNAL, &action, before) != 0) return false;
  return cph_own_sigaction(DEADLINE_SIGNAL, NULL, &now) == 0 && now.sa_sigaction == on_deadline;
}

static void on_deadline(int signal, siginfo_t *info, void *context) {
  (void)signal;
  bool own = info->si_code == SI_TIMER && info->si_value.sival_ptr == &cookie;
  bool limited = (int)cgr_thread_id() == limited_tid;
  // What comes before the process's timer has gone off for us is still the program's.
  if (!own && !(for_process && spend() >= LOOK_NS / 2)) return on_programs_signal(limited && !for_process);
  uint64_t limit = atomic_load(&hard_limit_ns), spent = spend();
  if (limit == 0) return;
  if (limited && !breaks_off && spent + LOOK_NS >= soft_limit_ns) {
    // From the next time on.
    breaks_off = true;
    set_action(NULL);
  }
  if (spent < soft_limit_ns) return;
  if (spent >= limit + (limited ? 0 : MARGIN_NS)) {
    if (limited) give_up();
    ck_die_now(dying_of, &dying_info);
  }
  if (!limited) return pass_on();
  cgr_report_out_of_time = true;
  // By the return, which opens the signal again. Were it open here, a timer that is faster than this handler would fill
  // the stack with handlers inside each other.
  if (ck_guard_current && cgr_guard_held == 0) ck_context_jump(context, &ck_guard_current->jump);
}

// `found` gets the setting of the process's timer if that is the one. Returns what the kernel does.
static long arm(uint64_t first_ns, struct itimerval *found) {
  // The thread may have the signal blocked, as a handler has.
  uint64_t one = 1ull << (DEADLINE_SIGNAL - 1);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, 8);
  if (for_process) {
    struct itimerval times = {
        .it_value = {.tv_sec = (time_t)(first_ns / 1000000000), .tv_usec = (long)(first_ns % 1000000000 / 1000)},
        .it_interval = {.tv_sec = 0, .tv_usec = LOOK_NS / 1000},
    };
    return cgr_syscall3(SYS_setitimer, ITIMER_REAL, &times, found);
  }
  struct itimerspec times = {
      .it_value = {.tv_sec = (time_t)(first_ns / 1000000000), .tv_nsec = (long)(first_ns % 1000000000)},
      .it_interval = {.tv_sec = 0, .tv_nsec = LOOK_NS},
  };
  return cgr_syscall4(SYS_timer_settime, timer, 0, &times, NULL);
}

static bool create_timer(void) {
  struct {
    void *value;
    int signal;
    int notify;
    int tid;
    char rest[44];
  } event = {.value = &cookie, .signal = DEADLINE_SIGNAL, .notify = 4 /* SIGEV_THREAD_ID */};
  _Static_assert(sizeof event == 64, "the kernel's struct sigevent");
  event.tid = limited_tid;
  timer = -1;
  return cgr_syscall3(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) >= 0 && timer >= 0;
}

void ck_deadline_start(int signal, const siginfo_t *info, void (*gives_up)(void)) {
  dying_of = signal;
  give_up = gives_up;
  cgr_copy(&dying_info, info, sizeof dying_info);
  limited_tid = (int)cgr_thread_id();
  breaks_off = false;
  atomic_store(&is_over, false);
  begin_spending(CK_SOFT_LIMIT_NS, CK_HARD_LIMIT_NS, PAUSE_NS);
  cgr_zero(&programs_action, sizeof programs_action);
  is_set = set_action(&programs_action);
  if (!is_set) return;
  struct itimerval found = {{0, 0}, {0, 0}};
  for_process = !create_timer();
  if (arm(LOOK_NS, &found) < 0 && !for_process) {
    for_process = true;
    arm(LOOK_NS, &found);
  }
  keep_programs_timer(found);
}

// The timer does not disturb what runs until then.
void ck_deadline_restart(uint64_t limit_ns) {
  struct itimerval own;
  begin_spending(limit_ns, limit_ns, UINT64_MAX);
  if (is_set) arm(limit_ns, &own);
}

void ck_deadline_stop(void) {
  static const struct itimerval off;
  static const struct timespec at_once;
  atomic_store(&hard_limit_ns, 0);
  if (!is_set) return;
  if (for_process) cgr_syscall3(SYS_setitimer, ITIMER_REAL, &off, NULL);
  if (timer >= 0) cgr_syscall1(SYS_timer_delete, timer);
  timer = -1;
  // The caller opens the signal again once its frames are safe from a handler.
  uint64_t one = 1ull << (DEADLINE_SIGNAL - 1);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &one, NULL, 8);
  // One of the process's timer may be under way: sent to the process, or passed on to this thread.
  for (int i = 0; i < 2 && for_process; ++i) cgr_syscall4(SYS_rt_sigtimedwait, &one, NULL, &at_once, 8);
  cph_own_sigaction(DEADLINE_SIGNAL, &programs_action, NULL);
  if (is_there(&programs_timer.it_value)) cgr_syscall3(SYS_setitimer, ITIMER_REAL, &programs_timer, NULL);
  atomic_store(&is_over, true);
  if (atomic_exchange(&programs_signal_came, false)) pass_on();
}
