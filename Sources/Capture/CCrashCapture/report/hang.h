#pragma once
// A hang: when, whose, and what the thread was doing meanwhile.

#include "live_result.h"
#include "stack/unwind.h"

#pragma GCC visibility push(hidden)

typedef struct ck_hang_sample_record {
  uint64_t after_ns;  // since the hang began
  ck_stack stack;
  uint64_t addresses[CK_FRAMES_MAX];
  uint8_t flags[CK_FRAMES_MAX];
} ck_hang_sample_record;

typedef struct ck_hang {
  char queue[128];
  int thread;
  uint64_t threshold_ns, started_ns;
  uint64_t duration_ns;  // so far
  bool ended, recovered;
  size_t sample_count, omitted_samples;
  ck_hang_sample_record samples[CK_HANG_SAMPLES];
} ck_hang;

#pragma GCC visibility pop
