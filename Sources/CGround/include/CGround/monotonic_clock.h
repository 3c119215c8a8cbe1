#pragma once
// CLOCK_MONOTONIC in nanoseconds, by the vDSO. Async-signal-safe: the address of clock_gettime is taken when the
// image is loaded, so that no call binds it; it changes errno only on failure, which these clocks do not know.
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)
extern int (*const volatile cph_clock_gettime)(clockid_t, struct timespec *);
#pragma GCC visibility pop

static inline uint64_t cph_clock_now(clockid_t clock) {
  struct timespec now;
  cph_clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t cph_monotonic_now(void) { return cph_clock_now(CLOCK_MONOTONIC); }
