#pragma once
// The environment that tests give to the programs they start: linking it is enough. Also what tests measure, and which
// set of tests runs.

#include <stdbool.h>
#include <stdint.h>

/// The processor time of the calling thread, in nanoseconds: other tests and other programs do not count.
uint64_t thread_time_ns(void);

/// Whether the tests of the full set run: `Scripts/test --full` sets CRASHKIT_TEST_FULL=yes.
bool tests_are_full(void);
