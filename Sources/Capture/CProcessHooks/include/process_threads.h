#pragma once
// Observes threads when they start and end. A thread that is older than the observer, or was not made by
// pthread_create, counts as started when it first calls an interposed function.

#include <stdbool.h>

#include "CRendezvous/thread_observer.h"

#pragma GCC visibility push(hidden)

#define CPH_THREAD_OBSERVERS 4

/// Adds an observer, for good; the structure must live as long as the process. Returns 0, or ENOMEM when all places
/// are taken. Safe from any thread.
int cph_observe_threads(const crv_thread_observer *observer);

typedef enum cph_thread_phase {
  CPH_THREAD_UNKNOWN,   // older than the observers, or not come as far as here
  CPH_THREAD_STARTING,  // the observers are being called
  CPH_THREAD_RUNNING,   // the program's own function
  CPH_THREAD_ENDING,
} cph_thread_phase;

/// How far the calling thread has come. Async-signal-safe.
extern _Thread_local __attribute__((tls_model("initial-exec"))) cph_thread_phase cph_current_thread_phase;

/// For an older thread's first call of ours. Keeps errno. Async-signal-safe.
void cph_thread_found(void);

/// Whether there is an observer. Async-signal-safe.
bool cph_threads_are_observed(void);

/// Calls the observers on a thread that pthread_create has just started. Async-signal-safe.
void cph_thread_starts(void);

/// To be called by whatever the program calls of ours. Async-signal-safe.
static inline void cph_thread_seen(void) {
  if (__builtin_expect(cph_current_thread_phase == CPH_THREAD_UNKNOWN, 0)) cph_thread_found();
}

#pragma GCC visibility pop
