#pragma once
// The clocks, in nanoseconds, by the vDSO. Async-signal-safe: the address of clock_gettime is taken when the image is
// loaded, so that no call binds it; it changes errno only on failure, which these clocks do not know.
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

extern int (*const volatile cgr_clock_gettime)(clockid_t, struct timespec *);

static inline uint64_t cgr_clock_ns(clockid_t clock) {
  struct timespec now;
  cgr_clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t cgr_monotonic_ns(void) { return cgr_clock_ns(CLOCK_MONOTONIC); }
static inline uint64_t cgr_realtime_ns(void) { return cgr_clock_ns(CLOCK_REALTIME); }

#pragma GCC visibility pop
