// A program in which nothing crashes, and which a filter kills for a system call that it does not make itself.
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>

#include "breadcrumbs.h"
#include "install.h"
#include "live_capture.h"
#include "probe.h"

static char *page;
static sigjmp_buf out;

static void repair(int signal) {
  (void)signal;
  sigset_t mask;
  CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
  open_page(page);
}

static void jump_out_of_handler(int signal) {
  (void)signal;
  siglongjmp(out, 1);
}

static void count(int signal) { (void)signal; }

static void change_masks(void) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGSEGV);
  sigaddset(&set, SIGUSR2);
  CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
}

static void repair_faults(void) {
  struct sigaction action = {.sa_handler = repair};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    close_page(page);
    store(page);
  }
}

static void leave_handler(void) {
  CHECK(signal(SIGSEGV, jump_out_of_handler) != SIG_ERR);
  close_page(page);
  if (sigsetjmp(out, 1) == 0) store(page);
  change_masks();
}

static void raise_signals(void) {
  struct sigaction action = {.sa_handler = count};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0);
  raise(SIGUSR1);
  raise(SIGTRAP);
  change_masks();
}

static void *work(void *argument) {
  change_masks();
  return argument;
}

static void run_thread(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void leave_crumb(void) {
  static const char text[] = "still here", category[] = "probe";
  ck_breadcrumb_record(text, sizeof text - 1, category, sizeof category - 1, CK_INFO, NULL);
}

// PROBE_CALL_NAME kills; what is done without CrashKit must make no such call.
static int healthy(void) {
  install_crashkit();
  page = protected_page();
  filter_call(0, call_from_environment(), SECCOMP_RET_KILL_PROCESS);
  static void (*const steps[])(void) = {change_masks,  repair_faults, leave_handler,
                                        raise_signals, run_thread,    leave_crumb};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) steps[i]();
  _exit(0);
}

// What the loader says is what the program asked it.
static int loader_errors(void) {
  install_crashkit();
  say("after install: %s\n", dlerror());
  CHECK(!dlopen("/nowhere", RTLD_NOW));
  ck_live_result result;
  ck_capture("still here", 10, &result);
  ck_uninstall();
  say("after its own call: %s\n", dlerror());
  return 7;
}

const probe healthy_probes[] = {
    {"healthy", healthy},
    {"loader-errors", loader_errors},
    {NULL, NULL},
};
