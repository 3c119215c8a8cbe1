#include "CDiagdemoCrashes.h"
#include "hostile_crashes.h"
#include "hostile_threads.h"
#include "never_inlined.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

TRIGGER void crash_in_forked_child(void (*in_child)(void)) {
  pid_t child = fork();
  if (child == 0) {
    in_child();
    crash_null_write();
    _exit(1);
  }
  int status = 0;
  if (had(child > 0 && waitpid(child, &status, 0) == child, "fork"))
    exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 3 : 4);
}

TRIGGER void crash_in_forking_parent(void) {
  int held[2];
  if (!had(pipe(held) == 0, "pipe")) return;
  pid_t child = fork();
  if (child == 0) {
    char byte;
    setsid();  // a signal to the parent's group does not end this one
    close(held[1]);
    if (read(held[0], &byte, 1) != 0)  // until the parent is gone
      _exit(1);
    int file = open("child-lives", O_WRONLY | O_CREAT, 0600);
    _exit(file < 0);
  }
  if (had(child > 0, "fork")) crash_null_write();
}

TRIGGER static void on_signal(int signal_number) {
  (void)signal_number;
  crash_null_write();
}

TRIGGER void crash_in_signal_handler(void) {
  struct sigaction action = {.sa_handler = on_signal};
  if (had(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction")) raise(SIGUSR1);
}

static ucontext_t outside, coroutine;

TRIGGER static void run_coroutine(void) { crash_null_write(); }

TRIGGER void crash_on_coroutine(void) {
  size_t size = 64 * 1024;
  void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (!had(stack != MAP_FAILED && getcontext(&coroutine) == 0, "getcontext")) return;
  coroutine.uc_stack.ss_sp = stack;
  coroutine.uc_stack.ss_size = size;
  coroutine.uc_link = &outside;
  makecontext(&coroutine, run_coroutine, 0);
  swapcontext(&outside, &coroutine);
}

TRIGGER static int compare_or_crash(const void *one, const void *other) {
  if (*(const int *)one != *(const int *)other) crash_null_write();
  return 0;
}

TRIGGER void crash_without_frame_pointers(void) {
  int numbers[4] = {1, 2, 3, 4};
  qsort(numbers, 4, sizeof numbers[0], compare_or_crash);
}

TRIGGER void crash_by_other_process(void) {
  sigset_t go, before;
  sigemptyset(&go);
  sigaddset(&go, SIGUSR1);
  sigprocmask(SIG_BLOCK, &go, &before);
  pid_t target = getpid(), child = fork();
  if (child == 0) {
    // While fork lasts, this thread has all signals blocked there, and another one would die.
    int number;
    sigwait(&go, &number);
    _exit(kill(target, SIGSEGV) != 0);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (!had(child > 0, "fork")) return;
  kill(child, SIGUSR1);
  for (;;) pause();
}
