#pragma once
// Clocks and pauses, in nanoseconds. The clocks are read by the vDSO. Async-signal-safe: the address of clock_gettime
// is taken when the image is loaded, so that no call binds it; it changes errno only on failure, and these clocks do
// not fail.
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "CGround/syscalls.h"

#pragma GCC visibility push(hidden)

extern int (*const volatile cgr_clock_gettime)(clockid_t, struct timespec *);

/// Whether the kernel is asked instead: for programs with threads that may not read the processor's clock
/// (PR_SET_TSC). The vDSO reads it, and would fault.
extern volatile bool cgr_clock_asks_kernel;

/// The kernel's time; 0 if a filter refuses the call.
void cgr_kernel_clock(clockid_t clock, struct timespec *now);

static inline uint64_t cgr_clock_ns(clockid_t clock) {
  struct timespec now;
  if (__builtin_expect(cgr_clock_asks_kernel, false))
    cgr_kernel_clock(clock, &now);
  else
    cgr_clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t cgr_monotonic_ns(void) { return cgr_clock_ns(CLOCK_MONOTONIC); }
static inline uint64_t cgr_realtime_ns(void) { return cgr_clock_ns(CLOCK_REALTIME); }

/// Lets the calling thread rest for so many nanoseconds, or until a signal. Async-signal-safe.
static inline void cgr_rest(long ns) {
  struct timespec left = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  cgr_syscall5(SYS_ppoll, 0, 0, &left, 0, 0);
}

#pragma GCC visibility pop
