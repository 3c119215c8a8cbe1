// The observers of threads' starts and ends, and the progress of each thread.

#include "process_threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "process_masks.h"

_Thread_local __attribute__((tls_model("initial-exec"))) cph_thread_phase cph_current_thread_phase;

static const crv_thread_observer *_Atomic observers[CPH_THREAD_OBSERVERS];
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Runs again and again until the last round, so that the program's own destructors still have what we gave.
static void on_ending(void *round) {
  uintptr_t left = (uintptr_t)round;
  if (left > 1) {
    pthread_setspecific(ending, (void *)(left - 1));
    return;
  }
  cph_current_thread_phase = CPH_THREAD_ENDING;
  for (int i = 0; i < CPH_THREAD_OBSERVERS; ++i) {
    const crv_thread_observer *observer = atomic_load_explicit(&observers[i], memory_order_acquire);
    if (observer && observer->ended) observer->ended();
  }
}

static void make_key(void) { pthread_key_create(&ending, on_ending); }

int cph_observe_threads(const crv_thread_observer *observer) {
  pthread_once(&once, make_key);
  for (int i = 0; i < CPH_THREAD_OBSERVERS; ++i) {
    const crv_thread_observer *none = NULL;
    if (atomic_compare_exchange_strong(&observers[i], &none, observer) || none == observer) return 0;
  }
  return ENOMEM;
}

static void tell_started(void) {
  for (int i = 0; i < CPH_THREAD_OBSERVERS; ++i) {
    const crv_thread_observer *observer = atomic_load_explicit(&observers[i], memory_order_acquire);
    if (observer && observer->started) observer->started();
  }
}

bool cph_threads_are_observed(void) { return atomic_load_explicit(&observers[0], memory_order_acquire); }

void cph_thread_starts(void) {
  pthread_setspecific(ending, (void *)(uintptr_t)(PTHREAD_DESTRUCTOR_ITERATIONS - 1));
  tell_started();
}

// glibc keeps the values of the first keys in the thread itself, and allocates for those behind.
#define KEYS_IN_THREAD 32

void cph_thread_found(void) {
  if (!cph_threads_are_observed()) return;
  int error = errno;
  cph_current_thread_phase = CPH_THREAD_STARTING;
  if (ending < KEYS_IN_THREAD) pthread_setspecific(ending, (void *)(uintptr_t)(PTHREAD_DESTRUCTOR_ITERATIONS - 1));
  tell_started();
  cph_masks_open_thread();
  cph_current_thread_phase = CPH_THREAD_RUNNING;
  errno = error;
}
