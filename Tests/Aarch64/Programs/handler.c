// A handler that gives up: on the stack of the thread, or with an argument on one of its own.
#include <signal.h>
#include <stdlib.h>

static char room[65536];

static void handle(int number) {
  (void)number;
  abort();
}

__attribute__((noinline)) static int work(volatile int *p, int depth) { return depth ? work(p, depth - 1) + 1 : *p; }

int main(int count, char **arguments) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = count > 1 ? SA_ONSTACK : 0};
  stack_t own = {.ss_sp = room, .ss_size = sizeof room};
  sigaltstack(&own, 0);
  sigaction(SIGSEGV, &action, 0);
  return work((volatile int *)16, 2) + !arguments;
}
