// Clocks, by the vDSO or a system call.

#include "processor/time_limit.h"

#include "CGround/clock.h"

#define CLOCK_TO_PROCESSOR_TIME 10

ck_time_limit ck_time_limit_by_clock(uint64_t ns) {
  uint64_t end = cgr_monotonic_ns() + ns;
  return (ck_time_limit){.end_ns = end, .last_end_ns = end};
}

ck_time_limit ck_time_limit_of_work(uint64_t ns) {
  uint64_t now = cgr_monotonic_ns();
  return (ck_time_limit){
      .end_ns = now + ns,
      .processor_ns = cgr_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns,
      .last_end_ns = now + CLOCK_TO_PROCESSOR_TIME * ns,
  };
}

bool ck_time_limit_is_over(ck_time_limit *limit) {
  if (limit->is_over) return true;
  uint64_t now = cgr_monotonic_ns();
  if (now < limit->end_ns) return false;
  limit->is_over = now >= limit->last_end_ns || cgr_clock_ns(CLOCK_THREAD_CPUTIME_ID) >= limit->processor_ns;
  return limit->is_over;
}
