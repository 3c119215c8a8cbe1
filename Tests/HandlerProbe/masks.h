#pragma once
// Sets of signals, and a crash where some are blocked.
#include <pthread.h>
#include <signal.h>

#include "probe.h"

static inline sigset_t all(void) {
  sigset_t set;
  sigfillset(&set);
  return set;
}
static inline sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}
static inline sigset_t all_but(int signal) {
  sigset_t set = all();
  sigdelset(&set, signal);
  return set;
}
static inline void set_mask(sigset_t set) { CHECK(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0); }

static inline void crash(void) { store((char *)8); }
