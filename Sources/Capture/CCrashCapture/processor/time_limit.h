#pragma once
// How long something may take.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct ck_time_limit {
  uint64_t end_ns;  // monotonic
  uint64_t
      processor_ns;  // what the thread's processor time must have reached too, unless it is last_end_ns; 0: nothing
  uint64_t last_end_ns;
  bool is_over;
} ck_time_limit;

/// From now on, by the clock. Async-signal-safe.
ck_time_limit ck_time_limit_by_clock(uint64_t ns);

/// From now on, of the calling thread's processor time: others may have the processors meanwhile. By the clock it is
/// over after ten times as long. Async-signal-safe.
ck_time_limit ck_time_limit_of_work(uint64_t ns);

/// On the thread that made it. Async-signal-safe.
bool ck_time_limit_is_over(ck_time_limit *limit);

#pragma GCC visibility pop
