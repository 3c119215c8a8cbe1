#pragma once
// Time by system call: no vDSO, no libc. Async-signal-safe.

#include <stdint.h>
#include <time.h>

#include "syscalls.h"

static inline uint64_t ck_clock_ns(int clock) {
  struct timespec now = {0, 0};
  ck_syscall2(SYS_clock_gettime, clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t ck_monotonic_ns(void) { return ck_clock_ns(CLOCK_MONOTONIC); }
static inline uint64_t ck_realtime_ns(void) { return ck_clock_ns(CLOCK_REALTIME); }
