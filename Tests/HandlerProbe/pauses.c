// A program that is paused in the middle of its report, as by a debugger or a frozen control group.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "probe.h"
#include "report/report.h"

static size_t chosen_stage;
static void pause_there(size_t stage) {
  if (stage == chosen_stage) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
}

static int crash_paused(void) {
  install_crashkit();
  chosen_stage = number_from_environment("PROBE_STAGE");
  ck_report_stage_begins = pause_there;
  store((char *)8);
  return 7;
}

// Longer than the whole limit.
static int paused(void) {
  pid_t child = fork();
  if (child == 0) _exit(crash_paused());
  int status;
  CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
  struct timespec rest = {.tv_sec = 4, .tv_nsec = 600000000};
  nanosleep(&rest, NULL);
  CHECK(kill(child, SIGCONT) == 0);
  CHECK(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 98;
}

const probe pause_probes[] = {
    {"paused", paused},
    {NULL, NULL},
};
