// A stand-in for the Swift runtime's backtracer, and the ways in which CrashKit's own report comes to nothing.

#include <fcntl.h>
#include <sys/resource.h>

#include "CCrashCapture.h"
#include "processor/guard.h"
#include "probe.h"
#include "report/report.h"

static const int backtracers_signals[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

void install_backtracer(void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  for (size_t i = 0; i < sizeof backtracers_signals / sizeof *backtracers_signals; ++i)
    CHECK(sigaction(backtracers_signals[i], &action, NULL) == 0);
}

// An empty file says that it ran: the program may be unable to write a single byte.
static void leave_mark(int signal, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  int mark = open("backtracer", O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (mark < 0) _exit(98);
  close(mark);
  struct sigaction none = {.sa_handler = SIG_DFL};
  sigaction(signal, &none, NULL);
}

static void install(void) {
  install_backtracer(leave_mark);
  install_crashkit();
}

static int crash(void) {
  store((char *)8);
  return 7;
}

static int backtracer_second(void) {
  install();
  return crash();
}

static void stall(size_t stage) {
  (void)stage;
  for (;;) __asm__ volatile("");
}

static int backtracer_after_hard_limit(void) {
  install();
  ck_report_stage_begins = stall;
  return crash();
}

static void fault_unguarded(size_t stage) {
  (void)stage;
  ck_guard_current = NULL;
  store((char *)16);
}

static int backtracer_after_fault(void) {
  install();
  ck_report_stage_begins = fault_unguarded;
  return crash();
}

// The folder is gone, and standard error is closed.
static int backtracer_without_output(void) {
  install();
  remove_report_folder();
  CHECK(close(2) == 0);
  return crash();
}

// Numbered lines are a whole report too.
static int backtracer_with_standard_error(void) {
  install();
  remove_report_folder();
  return crash();
}

static void limit(__rlimit_resource_t resource, rlim_t to) {
  struct rlimit limit;
  CHECK(getrlimit(resource, &limit) == 0);
  limit.rlim_cur = to;
  CHECK(setrlimit(resource, &limit) == 0);
}

// Neither the report's file nor standard error, a file as well, takes more.
static int backtracer_after_full_file(void) {
  install();
  limit(RLIMIT_FSIZE, 2048);
  return crash();
}

static int backtracer_without_memory(void) {
  install_backtracer(leave_mark);
  ck_configuration configuration = {0};
  ck_installation installation;
  limit(RLIMIT_AS, 0);
  ck_install(&configuration, &installation);
  limit(RLIMIT_AS, RLIM_INFINITY);
  CHECK(installation.result == CK_FAILED);
  return crash();
}

const probe backtracer_probes[] = {
    {"backtracer-second", backtracer_second},
    {"backtracer-after-hard-limit", backtracer_after_hard_limit},
    {"backtracer-after-fault", backtracer_after_fault},
    {"backtracer-without-output", backtracer_without_output},
    {"backtracer-with-standard-error", backtracer_with_standard_error},
    {"backtracer-after-full-file", backtracer_after_full_file},
    {"backtracer-without-memory", backtracer_without_memory},
    {NULL, NULL},
};
