// Programs whose own handlers end the process, or should.
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "probe.h"
#include "processor.h"

static char *page;
static volatile int calls;
static sigjmp_buf way_out;

static void (*ending)(void);
static void end_it(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  if (++calls > 1) _exit(98);
  ending();
}

static int end_by(void (*how)(void), int flags) {
  page = protected_page();
  ending = how;
  struct sigaction action = action_of(end_it, flags);
  install_around(SIGSEGV, &action);
  store(page);
  say("went on\n");
  return 0;
}

static void set_default(void) { signal(SIGSEGV, SIG_DFL); }
static void set_default_and_raise(void) {
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}
static void set_default_and_kill(void) {
  signal(SIGSEGV, SIG_DFL);
  kill(getpid(), SIGSEGV);
}
static void exit_three(void) { exit(3); }
static void exit_at_once(void) { _exit(3); }
static void exit_quickly(void) { quick_exit(3); }
static void raise_and_exit(void) {
  raise(SIGSEGV);
  _exit(3);
}
static void crash_again(void) { store(page + 8); }
static void crash_otherwise(void) { UNDEFINED_INSTRUCTION(); }
static void do_nothing(void) {}

static int restore_return(void) { return end_by(set_default, 0); }
static int restore_raise(void) { return end_by(set_default_and_raise, 0); }
static int restore_raise_nodefer(void) { return end_by(set_default_and_raise, SA_NODEFER); }
static int restore_kill(void) { return end_by(set_default_and_kill, 0); }
static int handler_aborts(void) { return end_by(abort, 0); }
static int handler_exits(void) { return end_by(exit_three, 0); }
static int handler_exits_at_once(void) { return end_by(exit_at_once, 0); }
static int handler_raises_and_exits(void) { return end_by(raise_and_exit, 0); }
static int handler_exits_quickly(void) { return end_by(exit_quickly, 0); }
// A timer's handler asks for the same alternate stack, and comes all the time, also while the program exits.
static volatile sig_atomic_t ticks;
static void tick(int signal) {
  (void)signal;
  ++ticks;
}
static void await_ticks(void) {
  for (int before = ticks; ticks == before;) pause();
}
static int handler_exits_under_timer(void) {
  CHECK(atexit(await_ticks) == 0);
  static char stack[64 << 10];
  CHECK(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) == 0);
  CHECK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = tick, .sa_flags = SA_ONSTACK}, NULL) == 0);
  struct itimerval times = {{0, 50}, {0, 50}};
  CHECK(setitimer(ITIMER_REAL, &times, NULL) == 0);
  return end_by(exit_three, SA_ONSTACK);
}
// An alarm that goes off while the report is made comes to the functions that run at the exit.
static void await_alarm(void) {
  sigset_t alarm, none;
  sigemptyset(&none);
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  CHECK(sigprocmask(SIG_BLOCK, &alarm, NULL) == 0);
  while (ticks == 0) sigsuspend(&none);
}
static void exit_beside_alarm(void) {
  struct itimerval once = {{0, 0}, {0, 200}};
  CHECK(setitimer(ITIMER_REAL, &once, NULL) == 0);
  exit(3);
}
static int handler_exits_beside_alarm(void) {
  CHECK(atexit(await_alarm) == 0);
  CHECK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = tick}, NULL) == 0);
  return end_by(exit_beside_alarm, 0);
}
// Each alarm asks for the next one. They come to the main thread, while another thread's handler ends the program.
static void ask_for_alarm(int signal) {
  static const struct itimerval soon = {{0, 0}, {0, 60}};
  (void)signal;
  ++ticks;
  setitimer(ITIMER_REAL, &soon, NULL);
}
static void await_more_alarms(void) {
  for (int before = ticks; ticks < before + 3;) usleep(100);
}
static void *exit_in_thread(void *unused) {
  store(page);
  return unused;
}
static int thread_exits_beside_alarms(void) {
  CHECK(atexit(await_more_alarms) == 0);
  CHECK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = ask_for_alarm, .sa_flags = SA_RESTART}, NULL) == 0);
  page = protected_page();
  ending = exit_three;
  struct sigaction action = action_of(end_it, 0);
  install_around(SIGSEGV, &action);
  ask_for_alarm(SIGALRM);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, exit_in_thread, NULL) == 0);
  pthread_join(thread, NULL);
  return 0;
}
static int handler_crashes(void) { return end_by(crash_again, 0); }
static int handler_crashes_otherwise(void) { return end_by(crash_otherwise, 0); }
static int resethand_returns(void) { return end_by(do_nothing, (int)SA_RESETHAND); }

// Without CrashKit this never ends.
static void ignore_it(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
}
static int handler_returns(void) {
  page = protected_page();
  struct sigaction action = action_of(ignore_it, 0);
  install_around(SIGSEGV, &action);
  store(page);
  return 0;
}

// abort() goes on to the default action by itself, past sigaction.
static int abort_ignored(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  install_around(SIGABRT, &action);
  raise(SIGABRT);
  say("went on\n");
  abort();
}
// Calls abort() with the address of data that looks like the end of a call in the registers that abort() saves.
_Noreturn static void abort_beside_data(void) {
#if defined(__x86_64__)
  static uint8_t data[16] = {[3] = 0xe8};
  __asm__ volatile(
      "mov %0, %%rbx\n mov %0, %%r12\n mov %0, %%r13\n mov %0, %%r14\n mov %0, %%r15\n"
      "and $-16, %%rsp\n call abort@PLT"
      :
      : "r"(data + 8)
      : "rbx", "r12", "r13", "r14", "r15", "memory");
#endif
  abort();
}
static int abort_ignored_beside_data(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  install_around(SIGABRT, &action);
  abort_beside_data();
}
// As test frameworks do: what abort left on the stack is still there when the program sends itself the signal.
static void leave_abort(int signal) {
  (void)signal;
  siglongjmp(way_out, 1);
}
__attribute__((noinline)) static int be_aborted(void) {
  if (sigsetjmp(way_out, 1)) return 1;
  abort();
}
__attribute__((noinline)) static int raise_with_room(void) {
  char room[256];
  snprintf(room, sizeof room, "raised");
  return raise(SIGABRT) + room[0];
}
static int survive_after_abort(void (*handler)(int, siginfo_t *, void *), bool is_ignored) {
  struct sigaction leaves = {.sa_handler = leave_abort}, action = action_of(handler, 0);
  install_around(SIGABRT, &leaves);
  be_aborted();
  if (is_ignored) action.sa_handler = SIG_IGN;
  CHECK(sigaction(SIGABRT, &action, NULL) == 0);
  raise_with_room();
  say("went on\n");
  return 7;
}
static int raise_after_abort(void) { return survive_after_abort(ignore_it, false); }
static int ignored_after_abort(void) { return survive_after_abort(ignore_it, true); }
static int abort_handler_returns(void) {
  struct sigaction action = action_of(ignore_it, 0);
  install_around(SIGABRT, &action);
  abort();
}

// Another library's handler comes next.
static void last_handler(int number) { say("last handler %d\n", number); }

static void hand_on_and_raise(int number) {
  say("first handler\n");
  CHECK(signal(number, last_handler) != SIG_ERR);
  raise(number);
}

static int abort_handler_raises_again(void) {
  struct sigaction action = {.sa_handler = hand_on_and_raise};
  install_around(SIGABRT, &action);
  abort();
}

// As Go's runtime does with GOTRACEBACK=crash.
static void open_by_call_and_raise(int number, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  uint64_t one = 1ull << (number - 1);
  CHECK(signal(number, SIG_DFL) != SIG_ERR);
  CHECK(syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, 8) == 0);
  raise(number);
  syscall(SYS_exit_group, 2);
}

static int abort_opened_by_call(void) {
  struct sigaction action = action_of(open_by_call_and_raise, 0);
  install_around(SIGABRT, &action);
  raise(SIGABRT);
  say("went on\n");
  return 7;
}

static void jump_away(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  ++calls;
  siglongjmp(way_out, 1);
}

static int abort_handler_jumps(void) {
  struct sigaction action = action_of(jump_away, 0);
  install_around(SIGABRT, &action);
  if (sigsetjmp(way_out, 1) == 0) abort();
  say("calls %d\n", calls);
  return 7;
}

// The thread goes on elsewhere, on the same stack.
static void go_on_elsewhere(void) {
  say("elsewhere\n");
  _exit(7);
}
static void send_elsewhere(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  set_program_counter(context, (uintptr_t)go_on_elsewhere);
}
static int abort_handler_sends_elsewhere(void) {
  struct sigaction action = action_of(send_elsewhere, 0);
  install_around(SIGABRT, &action);
  abort();
}

// By kill, not by raise: the first of two handlers makes the second one come.
static void kill_once(int signal, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  say("call %d\n", ++calls);
  if (calls == 1) kill(getpid(), signal);
}
static int abort_handler_kills_again(void) {
  struct sigaction action = action_of(kill_once, 0);
  install_around(SIGABRT, &action);
  abort();
}

static int raise_handler_returns(void) {
  struct sigaction action = action_of(ignore_it, 0);
  install_around(SIGABRT, &action);
  for (int i = 0; i < 100; ++i) raise(SIGABRT);
  say("went on\n");
  return 7;
}

static int ignored_sent(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  install_around(SIGSEGV, &action);
  raise(SIGSEGV);
  kill(getpid(), SIGSEGV);
  say("went on\n");
  return 7;
}

static int ignored_fault(void) {
  page = protected_page();
  struct sigaction action = {.sa_handler = SIG_IGN};
  install_around(SIGSEGV, &action);
  store(page);
  return 7;
}

// --- Handlers of many threads that exit at once ----------------------------------------------------------------------

#define EXITING 8

static pthread_barrier_t all_are_there;

static void *store_with_others(void *own_page) {
  pthread_barrier_wait(&all_are_there);
  store(own_page);
  return NULL;
}

static void exit_with_others(int signal) {
  (void)signal;
  exit(3);
}

static int handlers_exit_together(void) {
  struct sigaction action = {.sa_handler = exit_with_others};
  install_around(SIGSEGV, &action);
  CHECK(pthread_barrier_init(&all_are_there, NULL, EXITING) == 0);
  pthread_t threads[EXITING];
  for (int i = 0; i < EXITING; ++i) CHECK(pthread_create(&threads[i], NULL, store_with_others, protected_page()) == 0);
  for (int i = 0; i < EXITING; ++i) pthread_join(threads[i], NULL);
  return 7;
}

const probe ending_probes[] = {
    {"restore-return", restore_return},
    {"restore-raise", restore_raise},
    {"restore-raise-nodefer", restore_raise_nodefer},
    {"restore-kill", restore_kill},
    {"handler-aborts", handler_aborts},
    {"handler-exits", handler_exits},
    {"handler-exits-under-timer", handler_exits_under_timer},
    {"handler-exits-beside-alarm", handler_exits_beside_alarm},
    {"thread-exits-beside-alarms", thread_exits_beside_alarms},
    {"handler-exits-at-once", handler_exits_at_once},
    {"handler-exits-quickly", handler_exits_quickly},
    {"handler-raises-and-exits", handler_raises_and_exits},
    {"handler-crashes", handler_crashes},
    {"handler-crashes-otherwise", handler_crashes_otherwise},
    {"handlers-exit-together", handlers_exit_together},
    {"handler-returns", handler_returns},
    {"resethand-returns", resethand_returns},
    {"abort-ignored", abort_ignored},
    {"abort-ignored-beside-data", abort_ignored_beside_data},
    {"raise-after-abort", raise_after_abort},
    {"ignored-after-abort", ignored_after_abort},
    {"abort-handler-returns", abort_handler_returns},
    {"abort-handler-raises-again", abort_handler_raises_again},
    {"abort-handler-jumps", abort_handler_jumps},
    {"abort-handler-sends-elsewhere", abort_handler_sends_elsewhere},
    {"abort-handler-kills-again", abort_handler_kills_again},
    {"abort-opened-by-call", abort_opened_by_call},
    {"raise-handler-returns", raise_handler_returns},
    {"ignored-sent", ignored_sent},
    {"ignored-fault", ignored_fault},
    {NULL, NULL},
};
