// Children, and what threads leave behind.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "breadcrumbs.h"
#include "probe.h"

static void record(const char *text) { ck_breadcrumb_record(text, strlen(text), "probe", 5, CK_INFO, NULL); }

static void tell_end(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("child: signal %d status %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
      WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

static int child_crashes(void) {
  install_crashkit();
  record("of the parent");
  pid_t child = fork();
  if (child == 0) {
    record("of the child");
    store((char *)8);
  }
  tell_end(child);
  return 7;
}

static int both_crash(void) {
  install_crashkit();
  pid_t child = fork();
  if (child == 0) store((char *)8);
  tell_end(child);
  store((char *)8);
  return 7;
}

static int vfork_child_crashes(void) {
  install_crashkit();
  pid_t child = vfork();
  if (child == 0) {
    store((char *)8);
    _exit(1);
  }
  tell_end(child);
  store((char *)8);
  return 7;
}

// Several threads wait for children of vfork, which crash at the same moment in the memory that all of them share.
enum { LAUNCHERS = 4, LAUNCHES = 5 };
static pthread_barrier_t launching;
static void *launch(void *argument) {
  for (int i = 0; i < LAUNCHES; ++i) {
    pthread_barrier_wait(&launching);
    pid_t child = vfork();
    if (child == 0) store((char *)8);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  }
  return argument;
}

static int vfork_children_crash_together(void) {
  install_crashkit();
  pthread_t threads[LAUNCHERS];
  pthread_barrier_init(&launching, NULL, LAUNCHERS);
  for (int i = 0; i < LAUNCHERS; ++i) CHECK(pthread_create(&threads[i], NULL, launch, NULL) == 0);
  for (int i = 0; i < LAUNCHERS; ++i) pthread_join(threads[i], NULL);
  puts("well");
  return 7;
}

static int program_after_exec_crashes(void) {
  install_crashkit();
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "kill -SEGV $$", NULL);
    _exit(1);
  }
  tell_end(child);
  return 7;
}

// A thread forks without end while another one crashes. Each child crashes too.
static pthread_barrier_t barrier;
static void *fork_on(void *argument) {
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 200; ++i) {
    pid_t child = fork();
    if (child == 0) store((char *)16);
  }
  return argument;
}
static int crash_during_fork(void) {
  install_beside(fork_on, &barrier);
  store((char *)8);
  return 7;
}

// --- Threads made and joined ---------------------------------------------------------------------------------------

static void *nothing(void *argument) { return argument; }

static int count_entries(const char *path) {
  DIR *folder = opendir(path);
  CHECK(folder);
  int count = 0;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}
static int count_mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file);
  int count = 0;
  for (int c; (c = fgetc(file)) != EOF;) count += c == '\n';
  fclose(file);
  return count;
}
static void make(int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t threads[4];
    for (int k = 0; k < 4; ++k) CHECK(pthread_create(&threads[k], NULL, nothing, NULL) == 0);
    for (int k = 0; k < 4; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
  }
}
static int threads_leave_nothing(void) {
  install_crashkit();
  make(50);
  int mappings = count_mappings(), descriptors = count_entries("/proc/self/fd");
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  make(2500);
  getrusage(RUSAGE_SELF, &after);
  // At most four are alive at a time, each with a stack of its own and one for signals, which are kept for the next.
  if (count_mappings() > mappings + 16) {
    dprintf(2, "%d mappings, then %d\n", mappings, count_mappings());
    return 1;
  }
  CHECK(count_entries("/proc/self/fd") == descriptors);
  CHECK(after.ru_maxrss - before.ru_maxrss < 1024);
  return 7;
}

// --- Other programs ----------------------------------------------------------------------------------------------

#define WHAT "SigBlk\\|SigIgn"
#define SHOW "/bin/grep", "grep", WHAT, "/proc/self/status"

static void expect_success(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static int masks_over_exec(void) {
  install_crashkit();
  signal(SIGABRT, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSEGV);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGFPE);
  CHECK(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
  char *arguments[] = {"grep", WHAT, "/proc/self/status", NULL}, *none[] = {NULL};
  pid_t child = fork();
  if (child == 0) _exit(execl(SHOW, NULL));
  expect_success(child);
  if ((child = fork()) == 0) _exit(execlp(SHOW, NULL));
  expect_success(child);
  if ((child = fork()) == 0) _exit(execle(SHOW, NULL, none));
  expect_success(child);
  if ((child = vfork()) == 0) _exit(execv("/bin/grep", arguments));
  expect_success(child);
  if ((child = fork()) == 0) {
    CHECK(execv("/nowhere", arguments) == -1 && errno == ENOENT);
    _exit(fexecve(open("/bin/grep", O_RDONLY | O_CLOEXEC), arguments, none));
  }
  expect_success(child);
  CHECK(posix_spawn(&child, "/bin/grep", NULL, NULL, arguments, none) == 0);
  expect_success(child);
  CHECK(posix_spawnp(&child, "grep", NULL, NULL, arguments, environ) == 0);
  expect_success(child);
  CHECK(system("grep SigBlk /proc/self/status") == 0);
  FILE *pipe = popen("grep SigBlk /proc/self/status", "r");
  char line[64];
  CHECK(fgets(line, sizeof line, pipe));
  say("%s", line);
  CHECK(pclose(pipe) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
  say("here: %lx\n", *(unsigned long *)&set);
  return 7;
}

// Before it runs another program, a child of vfork sets handlers back, as launchers of processes do.
static volatile int handled;
static void count(int signal) {
  (void)signal;
  ++handled;
}
static int vfork_child_sets_actions(void) {
  struct sigaction action = {.sa_handler = count}, blocks_all = {.sa_handler = count}, now;
  sigfillset(&blocks_all.sa_mask);
  install_around(SIGSEGV, &action);
  CHECK(sigaction(SIGUSR1, &blocks_all, NULL) == 0);
  char *arguments[] = {"true", NULL};
  pid_t child = vfork();
  if (child == 0) {
    if (signal(SIGSEGV, SIG_DFL) != count || signal(SIGUSR1, SIG_IGN) != count) _exit(2);
    if (sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_handler != SIG_DFL) _exit(3);
    execv("/bin/true", arguments);
    _exit(4);
  }
  expect_success(child);
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == count);
  CHECK(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == count);
  raise(SIGSEGV);
  raise(SIGUSR1);
  say("handled %d\n", handled);
  // A child of fork has both memory and actions of its own.
  if ((child = fork()) == 0) {
    signal(SIGSEGV, SIG_IGN);
    raise(SIGSEGV);
    _exit(sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_handler != SIG_IGN);
  }
  expect_success(child);
  raise(SIGSEGV);
  say("handled %d\n", handled);
  return 7;
}

// Nothing that a child of vfork sets for itself changes what its parent has.
static void count_twice(int signal) {
  (void)signal;
  handled += 2;
}
static int vfork_child_keeps_to_itself(void) {
  static char childs_stack[64 << 10], own_stack[64 << 10];
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_ONSTACK}, now;
  struct sigaction once = {.sa_handler = count, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
  install_around(SIGSEGV, &once);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack}, seen;
  CHECK(sigaltstack(&stack, NULL) == 0);
  pid_t child = vfork();
  if (child == 0) {
    stack_t other = {.ss_sp = childs_stack, .ss_size = sizeof childs_stack};
    struct sigaction second = {.sa_handler = count_twice, .sa_flags = SA_ONSTACK};
    bool is_set = sigaction(SIGUSR1, &second, &now) == 0 && now.sa_handler == count;
    raise(SIGSEGV);
    is_set = is_set && sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
    _exit(!is_set || sigaltstack(&other, &seen) != 0 || seen.ss_sp != own_stack);
  }
  expect_success(child);
  CHECK(sigaltstack(NULL, &seen) == 0 && seen.ss_sp == own_stack);
  CHECK(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == count);
  raise(SIGUSR1);
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == count);
  say("handled %d\n", handled);
  for (size_t i = 0; i < sizeof childs_stack; ++i) CHECK(childs_stack[i] == 0);
  return 7;
}

// Its handler runs on the parent's alternate stack, and ends it there.
static int childs_end;
static void end_on_stack(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  static char other_stack[64 << 10];
  stack_t seen, other = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
  if (sigaltstack(NULL, &seen) != 0) _exit(1);
  int error = sigaltstack(&other, NULL) == 0 ? 0 : errno;
  if (childs_end == 0) _exit((seen.ss_flags & 3) * 10 + error);
  if (childs_end == 1) execl("/bin/true", "true", NULL);
  if (childs_end == 2) store((char *)8);
}
static int vfork_child_ends_on_stack(void) {
  static char own_stack[64 << 10];
  struct sigaction action = action_of(end_on_stack, SA_ONSTACK);
  install_around(SIGSEGV, &action);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  static const int kinds[] = {0, (int)(1u << 31)}, signals[] = {SIGSEGV, SIGUSR1};
  for (int i = 0; i < 16; ++i) {
    stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack, .ss_flags = kinds[i % 2]}, seen;
    CHECK(sigaltstack(&stack, NULL) == 0);
    childs_end = i / 4;
    pid_t child = vfork();
    if (child == 0) {
      raise(signals[i / 2 % 2]);
      _exit(9);
    }
    tell_end(child);
    CHECK(sigaltstack(NULL, &seen) == 0);
    say("%x, the same: %d\n", (unsigned)seen.ss_flags, seen.ss_sp == own_stack);
  }
  return 7;
}

// The child sets a handler, and the kernel calls that one on no alternate stack, if its parent has none.
static int recurse(int depth) {
  volatile char space[60 << 10];
  space[0] = (char)depth;
  return depth > 1000 ? space[0] : recurse(depth + 1) + space[0];
}
static void overrun(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  recurse(0);
}
static int vfork_child_overflows(void) {
  struct sigaction action = action_of(overrun, SA_ONSTACK | SA_NODEFER);
  // The Swift runtime may have set one.
  stack_t none = {.ss_flags = SS_DISABLE};
  CHECK(sigaltstack(&none, NULL) == 0);
  install_crashkit();
  pid_t child = vfork();
  if (child == 0) {
    sigaction(SIGSEGV, &action, NULL);
    raise(SIGSEGV);
    _exit(9);
  }
  tell_end(child);
  return 7;
}

// --- Children of a handler --------------------------------------------------------------------------------------

static sigjmp_buf repaired;

static void end_child(const char *how) {
  if (strcmp(how, "exec") == 0 || strcmp(how, "vfork") == 0) execl("/nonexistent/debugger", "debugger", NULL);
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "abort") == 0) abort();
  _exit(4);
}

static void ask_child_and_jump(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  const char *how = probe_arguments[3];
  pid_t child = strcmp(how, "vfork") == 0 ? vfork() : fork();
  if (child == 0) end_child(how);
  tell_end(child);
  siglongjmp(repaired, 1);
}

static int handler_forks(void) {
  CHECK(probe_arguments[2] && probe_arguments[3]);
  struct sigaction action = action_of(ask_child_and_jump, 0);
  install_around(SIGSEGV, &action);
  for (volatile int i = 0; i < 2; ++i)
    if (sigsetjmp(repaired, 1) == 0) store((char *)8);
  say("went on\n");
  return 7;
}

const probe fork_probes[] = {
    {"handler-forks", handler_forks},
    {"child-crashes", child_crashes},
    {"both-crash", both_crash},
    {"vfork-children-crash-together", vfork_children_crash_together},
    {"vfork-child-crashes", vfork_child_crashes},
    {"program-after-exec-crashes", program_after_exec_crashes},
    {"crash-during-fork", crash_during_fork},
    {"threads-leave-nothing", threads_leave_nothing},
    {"masks-over-exec", masks_over_exec},
    {"vfork-child-sets-actions", vfork_child_sets_actions},
    {"vfork-child-keeps-to-itself", vfork_child_keeps_to_itself},
    {"vfork-child-ends-on-stack", vfork_child_ends_on_stack},
    {"vfork-child-overflows", vfork_child_overflows},
    {NULL, NULL},
};
