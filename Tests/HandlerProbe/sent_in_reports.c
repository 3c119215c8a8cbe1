// Signals that another process sends while a report is made.
#include <pthread.h>

#include "probe.h"
#include "report/report.h"

static const int sent[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS};
enum { SENT = sizeof sent / sizeof *sent, THREADS = 200 };

static int requests[2], answers[2];

// The sender's side: one byte in is one signal of each kind, and one byte out.
static void send_when_asked(pid_t process) {
  char byte;
  close(requests[1]);
  while (read(requests[0], &byte, 1) == 1) {
    for (int i = 0; i < SENT; ++i) CHECK(kill(process, sent[i]) == 0);
    CHECK(write(answers[1], &byte, 1) == 1);
  }
  _exit(0);
}

// Before the first instruction behind the last call, each of them has come.
static void have_them_sent(size_t stage) {
  char byte = 0;
  (void)stage;
  CHECK(write(requests[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1);
}

static void *wait_for_good(void *barrier) {
  pthread_barrier_wait(barrier);
  for (;;) pause();
  return NULL;
}

static int sent_in_each_stage(void) {
  CHECK(pipe(requests) == 0 && pipe(answers) == 0);
  pid_t process = getpid();
  if (fork() == 0) send_when_asked(process);
  install_crashkit();
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wait_for_good, &barrier) == 0);
  }
  pthread_barrier_wait(&barrier);
  ck_report_stage_begins = have_them_sent;
  store((char *)8);
  return 7;
}

const probe sent_in_report_probes[] = {
    {"sent-in-each-stage", sent_in_each_stage},
    {NULL, NULL},
};
