#include "hostile_crashes.h"
#include "hostile_threads.h"
#include "never_inlined.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void end_at_once(void) { _exit(3); }

void end_by_system_call(void) { syscall(SYS_exit_group, 3); }

void use_up_memory(void) {
  enum { PIECE = 1 << 20, PAGE = 4096 };
  // Volatile: otherwise the compiler removes the values that are never read, and the allocation.
  for (volatile char *piece; (piece = malloc(PIECE));)
    for (int i = 0; i < PIECE; i += PAGE) piece[i] = 1;
}

void hang_until_killed(void) {
  pid_t target = getpid(), watchdog = fork();
  if (watchdog == 0) _exit(kill(target, SIGKILL) != 0);
  if (!had(watchdog > 0, "fork")) return;
  for (;;) pause();
}
