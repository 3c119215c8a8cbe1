// CRASHKIT_OPTIONS=on-signal=QUIT: another process sends SIGQUIT, and the program goes on as if that had not come. The
// third argument says what the program does meanwhile.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "CCrashCapture.h"
#include "probe.h"

#define MANY 50

static const char *chosen(int index) {
  for (int i = 2; i <= index; ++i) CHECK(probe_arguments[i]);
  return probe_arguments[index];
}

// --- Who sends ----------------------------------------------------------------------------------------------------

static pid_t sender;
static int go[2], done[2];

static void nap(long milliseconds) {
  struct timespec time = {.tv_nsec = milliseconds * 1000000};
  while (nanosleep(&time, &time) != 0) continue;
}

// Sends the signal so often, each time once the program waits, then writes a byte to `done`.
static void send(pid_t process, int count) {
  char byte;
  CHECK(read(go[0], &byte, 1) == 1);
  for (int i = 0; i < count; ++i) {
    if (count == 1) await_sleep_of(process, process);
    CHECK(kill(process, SIGQUIT) == 0);
  }
  nap(50);
  CHECK(write(done[1], "x", 1) == 1);
  _exit(0);
}

// Before CrashKit: the sender is another program.
static void make_sender(int count) {
  CHECK(pipe2(go, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0);
  pid_t process = getpid();
  sender = fork();
  CHECK(sender >= 0);
  if (sender == 0) send(process, count);
}

static void begin(void) { CHECK(write(go[1], "x", 1) == 1); }

static void await_sender(void) {
  int status;
  while (waitpid(sender, &status, 0) < 0) CHECK(errno == EINTR);
  CHECK(status == 0);
}

// --- What the program does meanwhile -------------------------------------------------------------------------------

static void wait_in(const char *call) {
  struct epoll_event event = {.events = EPOLLIN};
  struct pollfd entry = {.fd = done[0], .events = POLLIN};
  char byte = 0;
  int epoll = epoll_create1(EPOLL_CLOEXEC), result = -2;
  CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, done[0], &event) == 0);
  errno = 0;
  if (strcmp(call, "read") == 0) result = (int)read(done[0], &byte, 1);
  if (strcmp(call, "epoll") == 0) result = epoll_wait(epoll, &event, 1, 20000);
  if (strcmp(call, "poll") == 0) result = poll(&entry, 1, 20000);
  say("%s: %d %s\n", call, result, result < 0 ? strerror(errno) : "");
  // The call that a handler broke off.
  while (byte == 0 && read(done[0], &byte, 1) < 0) CHECK(errno == EINTR);
}

#define SLEEPERS 3

static pthread_t sleepers[SLEEPERS];
static int stop[2];

static void *stay(void *argument) {
  char byte;
  atomic_store((atomic_int *)argument, gettid());
  while (read(stop[0], &byte, 1) < 0) CHECK(errno == EINTR);
  return argument;
}

// Threads that sleep. One that is about to could take the process's signal: the kernel would have woken the first one
// for it, and epoll_wait does not go on by itself.
static void start_sleepers(void) {
  CHECK(pipe2(stop, O_CLOEXEC) == 0);
  for (int i = 0; i < SLEEPERS; ++i) {
    static atomic_int numbers[SLEEPERS];
    CHECK(pthread_create(&sleepers[i], NULL, stay, &numbers[i]) == 0);
    int number;
    while ((number = atomic_load(&numbers[i])) == 0) sched_yield();
    await_sleep_of(getpid(), number);
  }
}

// A sleeper that answers a signal ends after its answer.
static void end_sleepers(void) {
  CHECK(close(stop[1]) == 0);
  for (int i = 0; i < SLEEPERS; ++i) CHECK(pthread_join(sleepers[i], NULL) == 0);
}

static int waits(void) {
  make_sender(1);
  install_crashkit();
  start_sleepers();
  begin();
  wait_in(chosen(3));
  await_sender();
  return 7;
}

// --- A handler of the program's -------------------------------------------------------------------------------------

static atomic_int handled;
static char own_stack[64 * 1024];

static void note(int signal, siginfo_t *info, void *context) {
  sigset_t now;
  char here;
  const ucontext_t *interrupted = context;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  bool is_on_own = &here >= own_stack && &here < own_stack + sizeof own_stack;
  say("signal %d, sender %d, code %d, blocked %d %d, was blocked %d, own stack %d\n", signal, info->si_pid == sender,
      info->si_code, sigismember(&now, SIGQUIT), sigismember(&now, SIGUSR1),
      sigismember(&interrupted->uc_sigmask, SIGQUIT), is_on_own);
  ++handled;
  errno = ERANGE;
}

// Arguments: a call, and flags by letters.
static int runs_handler(void) {
  const char *letters = chosen(4);
  int flags = strchr(letters, 'r') ? SA_RESTART : 0;
  if (strchr(letters, 's')) flags |= SA_ONSTACK;
  if (strchr(letters, 'n')) flags |= SA_NODEFER;
  if (strchr(letters, 'o')) flags |= (int)SA_RESETHAND;
  make_sender(1);
  stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
  CHECK(sigaltstack(&stack, NULL) == 0);
  struct sigaction action = action_of(note, flags), now;
  sigaddset(&action.sa_mask, SIGUSR1);
  install_around(SIGQUIT, &action);
  begin();
  wait_in(chosen(3));
  await_sender();
  CHECK(sigaction(SIGQUIT, NULL, &now) == 0);
  say("then %s, flags %x, blocks %d\n", now.sa_sigaction == note ? "as before" : "default",
      (unsigned)now.sa_flags & (unsigned)(SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND),
      sigismember(&now.sa_mask, SIGUSR1));
  return 7;
}

static void count_it(int signal) {
  (void)signal;
  ++handled;
}

// Arguments: none, or "counts" for a handler.
static int many(void) {
  make_sender(MANY);
  install_crashkit();
  bool counts = strcmp(chosen(3), "counts") == 0;
  if (counts) signal(SIGQUIT, count_it);
  start_sleepers();
  begin();
  wait_in("read");
  await_sender();
  end_sleepers();
  say("%s\n", !counts ? "went on" : handled >= 1 && handled <= MANY ? "handled" : "lost");
  return 7;
}

static sigjmp_buf place;

static void jump(int signal) {
  (void)signal;
  siglongjmp(place, 1);
}

static void end_by_exit(int signal) {
  (void)signal;
  exit(3);
}

static void end_at_once(int signal) {
  (void)signal;
  _exit(4);
}

static void die_of_it(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static void crash(int signal) {
  (void)signal;
  store((char *)8);
}

static int special_handler(void) {
  const char *what = chosen(3);
  make_sender(1);
  struct sigaction action = {0};
  if (strcmp(what, "jumps") == 0) action.sa_handler = jump;
  if (strcmp(what, "exits") == 0) action.sa_handler = end_by_exit;
  if (strcmp(what, "exits-at-once") == 0) action.sa_handler = end_at_once;
  if (strcmp(what, "dies-of-it") == 0) action.sa_handler = die_of_it;
  if (strcmp(what, "crashes") == 0) action.sa_handler = crash;
  install_around(SIGQUIT, &action);
  if (sigsetjmp(place, 1) == 0) {
    begin();
    wait_in("read");
    say("not left\n");
  }
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  say("blocked %d\n", sigismember(&now, SIGQUIT));
  await_sender();
  return 7;
}

// --- Other ways -----------------------------------------------------------------------------------------------------

static int ignored(void) {
  make_sender(1);
  struct sigaction action = {.sa_handler = SIG_IGN};
  install_around(SIGQUIT, &action);
  begin();
  wait_in("read");
  await_sender();
  return 7;
}

static int taken(void) {
  make_sender(1);
  install_crashkit();
  sigset_t quit;
  sigemptyset(&quit);
  sigaddset(&quit, SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &quit, NULL);
  int number = 0;
  begin();
  if (strcmp(chosen(3), "sigwait") == 0) {
    CHECK(sigwait(&quit, &number) == 0);
  } else {
    struct signalfd_siginfo info;
    int file = signalfd(-1, &quit, SFD_CLOEXEC);
    CHECK(file >= 0 && read(file, &info, sizeof info) == sizeof info);
    number = (int)info.ssi_signo;
  }
  say("took %d\n", number);
  await_sender();
  return 7;
}

static int by_itself(void) {
  install_crashkit();
  const char *what = chosen(3);
  if (strcmp(what, "ignores") == 0) signal(SIGQUIT, SIG_IGN);
  if (strcmp(what, "handles") == 0) signal(SIGQUIT, count_it);
  if (strcmp(what, "process") == 0)
    kill(getpid(), SIGQUIT);
  else
    raise(SIGQUIT);
  say("handled %d\n", handled);
  return 7;
}

static void backtrace_and_end(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  say("backtracer\n");
  _exit(9);
}

static int runs_backtracer(void) {
  make_sender(1);
  install_backtracer(backtrace_and_end);
  install_crashkit();
  begin();
  wait_in("read");
  await_sender();
  raise(SIGQUIT);
  return 7;
}

static int then_crashes(void) {
  make_sender(1);
  install_crashkit();
  begin();
  wait_in("read");
  await_sender();
  store((char *)8);
  return 7;
}

// The thread computes: what it has in errno, and in its registers, stays.
static int computes(void) {
  make_sender(MANY);
  install_crashkit();
  errno = EXDEV;
  begin();
  int ready = 0;
  double sum = 0;
  for (long i = 0; !ready; ++i) {
    sum += 1;
    CHECK(sum == (double)(i + 1) && errno == EXDEV);
    struct pollfd entry = {.fd = done[0], .events = POLLIN};
    if (i % 100000 == 0) ready = poll(&entry, 1, 0) > 0;
    errno = EXDEV;
  }
  await_sender();
  return 7;
}

// Other threads capture and fork all the time.
static atomic_bool is_over;

static void *capture_often(void *argument) {
  ck_live_result result;
  while (!is_over) ck_capture("often", 5, &result);
  return argument;
}

static void *fork_often(void *argument) {
  while (!is_over) {
    pid_t child = fork();
    if (child == 0) _exit(5);
    int status = 0;
    pid_t got;
    while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    CHECK(got == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
  }
  return argument;
}

static int beside_captures(void) {
  make_sender(MANY);
  install_crashkit();
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, capture_often, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, fork_often, NULL) == 0);
  begin();
  wait_in("read");
  await_sender();
  is_over = true;
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  return 7;
}

// The signal comes where this thread forks: a wait for the end of the fork would have none.
static void wait_in_fork(void) {
  struct timespec before, after;
  begin();
  CHECK(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
  wait_in("read");
  CHECK(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
  CHECK((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 < 450);
}

static int forks(void) {
  make_sender(1);
  // It runs behind CrashKit's, which is set later.
  CHECK(pthread_atfork(wait_in_fork, NULL, NULL) == 0);
  install_crashkit();
  pid_t child = fork();
  if (child == 0) _exit(0);
  CHECK(child > 0 && waitpid(child, NULL, 0) == child);
  await_sender();
  return 7;
}

const probe asking_probes[] = {
    {"asked-waits", waits},
    {"asked-has-handler", runs_handler},
    {"asked-often", many},
    {"asked-special-handler", special_handler},
    {"asked-ignores", ignored},
    {"asked-takes", taken},
    {"asked-by-itself", by_itself},
    {"asked-has-backtracer", runs_backtracer},
    {"asked-then-crashes", then_crashes},
    {"asked-computes", computes},
    {"asked-beside-captures", beside_captures},
    {"asked-in-fork", forks},
    {NULL, NULL},
};
