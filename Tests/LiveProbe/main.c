// A process that goes on: what captures leave of the calls that its threads are in.
//
// live-probe calls CAPTURES     threads in blocking calls and threads that enter and leave them; prints for each kind
// of
//                               call how often it was made, broken off, too early and too late
// live-probe restarts           breaks such calls off by a signal whose handler makes them again
// live-probe stacks             captures threads at known places, some of them deep
// live-probe failures           captures where no report can be written
// live-probe crash              crashes on one thread while others capture
// live-probe fork               captures in parent and child while another thread captures
// live-probe first-fork         the same for a fork that has begun before anything was captured
// live-probe fork-in-preparation  the same while another thread makes ready for its first capture
// live-probe fork-in-swift-work  forks while a thread is at work in Swift, and while one never ends it
// live-probe work-in-fork       a thread begins such work while another one forks
#include <signal.h>

#include "probe.h"

int main(int count, char **arguments) {
  if (count < 2) return 64;
  // Whoever started it may have had signals blocked.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  ck_configuration configuration = {0};
  ck_installation installation;
  ck_install(&configuration, &installation);
  if (installation.result != CK_INSTALLED) return 69;
  if (strcmp(arguments[1], "calls") == 0) return calls(count > 2 ? atoi(arguments[2]) : 1000);
  if (strcmp(arguments[1], "restarts") == 0) return restarts();
  if (strcmp(arguments[1], "stacks") == 0) return stacks();
  if (strcmp(arguments[1], "failures") == 0) return failures();
  if (strcmp(arguments[1], "crash") == 0) return crash();
  if (strcmp(arguments[1], "fork") == 0) return forks();
  if (strcmp(arguments[1], "first-fork") == 0) return first_fork();
  if (strcmp(arguments[1], "fork-in-preparation") == 0) return fork_in_preparation();
  if (strcmp(arguments[1], "fork-in-swift-work") == 0) return fork_in_swift_work();
  if (strcmp(arguments[1], "work-in-fork") == 0) return work_in_fork();
  return 64;
}
