#pragma once
// The clocks a report needs. Async-signal-safe.

#include "CGround/monotonic_clock.h"

static inline uint64_t ck_clock_ns(clockid_t clock) { return cph_clock_now(clock); }
static inline uint64_t ck_monotonic_ns(void) { return cph_clock_now(CLOCK_MONOTONIC); }
static inline uint64_t ck_realtime_ns(void) { return cph_clock_now(CLOCK_REALTIME); }
