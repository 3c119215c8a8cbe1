#pragma once
// What the quiet programs share. Each does nothing wrong, says on standard output what came of it, and ends with 0.

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void succeeded(int error, const char *what) {
  if (error == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(error));
  exit(70);
}

/// Ends the program with a message unless the call that is named gave 0.
#define MUST(call) succeeded(call, #call)

/// Ends the program with a message unless the condition holds.
#define HOLDS(condition) ((condition) ? (void)0 : succeeded(EINVAL, #condition))

static inline void lock(pthread_mutex_t *mutex) { MUST(pthread_mutex_lock(mutex)); }
static inline void unlock(pthread_mutex_t *mutex) { MUST(pthread_mutex_unlock(mutex)); }
