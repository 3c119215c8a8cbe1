#pragma once
// The environment that tests give to the programs they start: linking it is enough. And what tests measure.

#include <stdint.h>

/// The processor time of the calling thread, in nanoseconds: other tests and other programs do not count.
uint64_t thread_time_ns(void);
