#pragma once
// Scheduling noise: short pauses at the boundaries of locks, queues and guarded values, so that a rare race shows soon.
// A seed, the thread's number and the count of its boundaries decide what each thread does.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Turns the noise on, with this seed, or off. Does nothing where THREADGUARD_OPTIONS says what it is to be, or where
/// locks are not watched. Safe from any thread.
void ctg_perturb(bool on, uint64_t seed);

/// What a thread does at its boundary number `step`, from 0: 0 to go on, 1 to yield, more to sleep for that many ns.
uint32_t ctg_perturbation(uint64_t seed, uint32_t thread, uint64_t step);

/// Of the calling thread, since the noise was turned on last.
struct ctg_perturbed {
  uint32_t thread;  // its number: 1 for the first of the process, then in the order that threads were made in
  uint64_t steps;
  uint64_t digest;  // of all that was done
};
struct ctg_perturbed ctg_perturbed_thread(void);

#pragma GCC visibility pop
