#pragma once
// What the programs that time locks have in common: each prints "row nanoseconds" lines.

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How much is timed: pairs in a round, rounds of which the best counts, and locks whose memory is weighed.
struct locks_size {
  long pairs, rounds, locks;
};

/// From the program's argument: "full", "quick", or "slow" for tools that take a thousand times as long.
struct locks_size locks_size_of(const char *name);

/// The time, in nanoseconds.
double locks_now(void);

void locks_print(const char *row, double value);

/// Starts a second thread that sleeps: glibc takes a shorter way without one.
void locks_be_threaded(void);

/// The best time of a pair where two threads take one lock: `work` ns of it inside, and as many outside.
double locks_contended(struct locks_size size, double work, void (*take)(void), void (*give_back)(void));

/// Bytes of memory that the process has now.
double locks_memory(void);

/// All rows of pthread's locks.
void locks_run(struct locks_size size);

#ifdef __cplusplus
}
#endif
