#pragma once
// A hang: the subject that did not run, the time, and what the threads that should run it did meanwhile.

#include "live_result.h"
#include "stack/unwind.h"
#include "threads/threads.h"

#pragma GCC visibility push(hidden)

#define CK_HANG_THREADS 256

typedef struct ck_hang_sample_record {
  uint64_t after_ns;  // since the hang began
  ck_captured_by captured_by;
  ck_stack stack;
  uint64_t addresses[CK_FRAMES_MAX];
  uint8_t flags[CK_FRAMES_MAX];
} ck_hang_sample_record;

typedef struct ck_hang {
  ck_hang_subject subject;
  char name[128];
  int thread;  // the one that is sampled; 0 if none is known
  // The threads that were to run it, with their processor time at the first sample and at the last one.
  size_t thread_count;
  struct {
    int id;
    uint64_t first_ns, last_ns;
  } threads[CK_HANG_THREADS];
  uint64_t observed_ns;  // from the first sample to the last one
  uint64_t threshold_ns, started_ns;
  uint64_t duration_ns;  // so far
  bool ended, recovered;
  size_t sample_count, omitted_samples;
  ck_hang_sample_record samples[CK_HANG_SAMPLES];
} ck_hang;

#pragma GCC visibility pop
