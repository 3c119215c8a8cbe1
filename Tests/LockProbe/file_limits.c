// Violations in a process whose files are at their limit.

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probe.h"

// Each of these is a mistake of its own.
#define UNLOCK_FREE_MUTEX(name)                        \
  static __attribute__((noinline)) void name(void) {   \
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; \
    pthread_mutex_unlock(&mutex);                      \
  }

UNLOCK_FREE_MUTEX(misuse_with_it_open)
UNLOCK_FREE_MUTEX(misuse_with_it_blocked)
UNLOCK_FREE_MUTEX(misuse_with_it_pending)

static bool is_pending(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static void expect(bool condition, const char *what) {
  if (condition) return;
  dprintf(2, "not so: %s\n", what);
  exit(1);
}

void misuse_at_file_limit(void) {
  sigset_t limit_signal;
  sigemptyset(&limit_signal), sigaddset(&limit_signal, SIGXFSZ);
  expect(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, RLIM_INFINITY}) == 0, "no file can grow");
  // Its default action ends the process.
  expect(signal(SIGXFSZ, SIG_DFL) != SIG_ERR && sigprocmask(SIG_UNBLOCK, &limit_signal, NULL) == 0, "it is open");
  misuse_with_it_open();
  // What the program was sent is still its own behind a report.
  expect(sigprocmask(SIG_BLOCK, &limit_signal, NULL) == 0, "it is blocked");
  misuse_with_it_blocked();
  expect(!is_pending(), "ThreadGuard leaves no signal behind");
  raise(SIGXFSZ);
  misuse_with_it_pending();
  expect(is_pending(), "the program's own signal is there");
  expect(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0, "files can grow again");
  dprintf(2, "all was seen\n");
}
