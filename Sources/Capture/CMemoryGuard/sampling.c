// CRASHKIT_OPTIONS is read at the first allocation: CrashKit may be installed later, or never.

#include "sampling.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CGround/clock.h"
#include "CGround/descriptors.h"
#include "CGround/environment.h"
#include "table.h"

_Thread_local int32_t cmg_left __attribute__((tls_model("initial-exec")));

// Of a thread. 0 before its first choice.
static _Thread_local uint64_t chance __attribute__((tls_model("initial-exec")));
// When the thread guarded its last one.
static _Thread_local uint64_t last_ns __attribute__((tls_model("initial-exec")));

enum { UNDECIDED, DECIDING, OFF, ON };
static _Atomic int decision;
static uint32_t share;  // 1 in so many

/// A guarded allocation and its release take 10 to 20 microseconds. If the share is small, a thread that allocates all
/// the time has no more of them than one in this time: half a percent of its own.
#define SMALL_SHARE 5000u
#define REST_NS 4000000u

// --- Whether to guard --------------------------------------------------------------------------------------------

static uint32_t wanted_share(void) {
  static const char options[] = "CRASHKIT_OPTIONS";
  char value[16];
  uint32_t one_in = 0;
  bool enabled = true;
  if (!cgr_option(options, "guard", value, sizeof value) || !cgr_read_share(value, &one_in)) return 0;
  if (cgr_option(options, "enable", value, sizeof value)) cgr_read_truth(value, &enabled);
  return enabled ? one_in : 0;
}

// Defined by the preload library: `crashsym run` names the process that it started, so that children go unguarded
// unless they are asked for. Not declared hidden, for gold gives a hidden weak symbol that is not there an address.
extern bool cmg_is_wanted_here(void) __attribute__((weak));

static void decide(void) {
  int undecided = UNDECIDED;
  // libc has the environment only once it has started.
  if (!environ || !atomic_compare_exchange_strong(&decision, &undecided, DECIDING)) return;
  share = !cmg_is_wanted_here || cmg_is_wanted_here() ? wanted_share() : 0;
  bool is_on = share > 0 && cmg_table_prepare();
  if (is_on) cgr_standard_error_prepare();
  atomic_store_explicit(&decision, is_on ? ON : OFF, memory_order_release);
}

// --- Which to guard ----------------------------------------------------------------------------------------------

static uint64_t next_chance(void) {
  uint64_t x = chance;
  if (x == 0) x = (cgr_monotonic_ns() ^ (uintptr_t)&chance << 20) | 1;
  // xorshift (Marsaglia, 2003)
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return chance = x;
}

// 1 in `share` on average, and every one if `share` is 1.
static void choose_next(void) { cmg_left = (int32_t)(next_chance() % (2 * (uint64_t)share - 1)); }

static bool needs_rest(void) {
  if (share < SMALL_SHARE) return false;
  uint64_t now = cgr_monotonic_ns();
  bool is_soon = now - last_ns < REST_NS;
  if (!is_soon) last_ns = now;
  return is_soon;
}

static void *choose(size_t size, size_t alignment, uintptr_t caller) {
  int decided = atomic_load_explicit(&decision, memory_order_acquire);
  if (decided == UNDECIDED) {
    decide();
    decided = atomic_load_explicit(&decision, memory_order_acquire);
  }
  if (decided == OFF) cmg_left = INT32_MAX;
  if (decided != ON) return NULL;
  bool is_first = chance == 0;
  choose_next();
  if ((is_first && share > 1) || needs_rest()) return NULL;
  return cmg_table_allocate(size, alignment, chance >> 63, caller);
}

void *cmg_sample(size_t size, size_t alignment, uintptr_t caller) {
  int error = errno;
  void *memory = choose(size, alignment, caller);
  errno = error;
  return memory;
}
