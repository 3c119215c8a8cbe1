// Signals that come while the program's one thread forks: their handler forks too (handler), or jumps out (jump).

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 300, FORKS_UNDER_A_LIMIT = 1000, LONGEST_LIMIT = 400 };

static sigjmp_buf out_of_fork;
static volatile sig_atomic_t is_forking, handled;

static void child_or_parent(void) {
  if (fork() == 0) _exit(0);
}

static void fork_again(int signal) {
  int before = errno;
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
  if (handled++ < FORKS) child_or_parent();
  errno = before;
}

static void jump_out(int signal) {
  (void)signal;
  ++handled;
  if (is_forking) siglongjmp(out_of_fork, 1);
}

static void fork_under_time_limit(int microseconds) {
  const struct itimerval limit = {{0, 0}, {0, microseconds}};
  if (sigsetjmp(out_of_fork, 1) == 0) {
    pid_t parent = getpid();
    setitimer(ITIMER_REAL, &limit, NULL);
    is_forking = 1;
    pid_t child = fork();
    if (child == 0 || getpid() != parent) _exit(0);
  }
  is_forking = 0;
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  struct sigaction action = {.sa_flags = SA_RESTART};
  if (strcmp(arguments[1], "handler") == 0) {
    action.sa_handler = fork_again;
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < FORKS; ++i) child_or_parent();
  } else {
    pid_t own = getpid();
    action.sa_handler = jump_out;
    sigaction(SIGALRM, &action, NULL);
    for (volatile int i = 0; i < FORKS_UNDER_A_LIMIT; ++i) {
      fork_under_time_limit(1 + i % LONGEST_LIMIT);
      if (getpid() != own) _exit(0);
    }
  }
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) continue;
  printf("well: %d\n", handled > 0);
}
