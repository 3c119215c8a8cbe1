// A handler that sends the process the signal by which it is to end, and does not return.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "probe.h"

static int sent;

static void end_process(int signal) {
  (void)signal;
  CHECK(sigaction(sent, &(struct sigaction){.sa_handler = SIG_DFL}, NULL) == 0);
  kill(getpid(), sent);
  for (;;) pause();
}

static void *wait_there(void *argument) {
  for (;;) pause();
  return argument;
}

static void *crash_there(void *argument) {
  store((char *)8);
  return argument;
}

// The handler sends this signal, and blocks all.
static void set_handler(int signal) {
  sent = signal;
  install_crashkit();
  struct sigaction action = {.sa_handler = end_process};
  sigfillset(&action.sa_mask);
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
}

static int crash_beside(int signal) {
  set_handler(signal);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_there, NULL) == 0);
  store((char *)8);
  return 7;
}

static int own_end(void) { return crash_beside(SIGSEGV); }
static int own_end_by_another_signal(void) { return crash_beside(SIGBUS); }

static int own_end_of_thread(void) {
  set_handler(SIGSEGV);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_there, NULL) == 0);
  CHECK(pthread_create(&thread, NULL, crash_there, NULL) == 0);
  for (;;) pause();
}

const probe own_end_probes[] = {
    {"own-end", own_end},
    {"own-end-by-another-signal", own_end_by_another_signal},
    {"own-end-of-thread", own_end_of_thread},
    {NULL, NULL},
};
