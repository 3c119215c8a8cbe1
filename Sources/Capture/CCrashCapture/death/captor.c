// Decides which thread makes the report. System calls only.

#include "death/captor.h"

#include <stdatomic.h>

#include "CGround/clock.h"
#include "CGround/own_ids.h"
#include "death/deadline.h"

// How often a process looks whether another one is done.
#define LOOK_NS 1000000
// A captor looks at the clock several times a second. If it has not for so long, it is dead, or a fork has copied this
// memory while it was at work.
#define QUIET_NS 2000000000ull

// The thread that captures, 0 before; with its process, since a fork takes the word along, and a child of vfork leaves
// its own behind.
static _Atomic uint64_t owner;
static _Atomic uint64_t reported_by;  // the process whose report is complete
static _Atomic uint64_t left_by;      // the process that needs the report's memory no more

static uint64_t this_process(void) { return (uint64_t)cgr_process_id(); }
static uint64_t this_thread(void) { return this_process() << 32 | (uint32_t)cgr_thread_id(); }

// Waits until the other process is done, or dead. Returns false if neither came in time.
static bool wait_for(uint64_t other) {
  uint64_t now = cgr_monotonic_ns(), end = now + CK_HARD_LIMIT_NS;
  uint64_t looked = ck_deadline_looked_ns(), quiet_since = now;
  while (atomic_load(&owner) == other && atomic_load(&left_by) != other >> 32) {
    cgr_rest(LOOK_NS);
    now = cgr_monotonic_ns();
    uint64_t last = ck_deadline_looked_ns();
    if (last != looked) quiet_since = now;
    looked = last;
    if (now - quiet_since > QUIET_NS) return true;
    if (now > end) return false;
  }
  return true;
}

ck_captor_turn ck_captor_take_turn(void) {
  uint64_t self = this_thread(), before = atomic_load(&owner);
  do {
    if (before >> 32 == self >> 32 || (before != 0 && !wait_for(before))) return CK_TURN_NONE;
  } while (!atomic_compare_exchange_strong(&owner, &before, self));
  return before == 0 ? CK_TURN_FIRST : CK_TURN_AFTER_OTHERS;
}

void ck_captor_has_reported(void) { atomic_store_explicit(&reported_by, this_process(), memory_order_release); }

void ck_captor_leaves(void) { atomic_store(&left_by, this_process()); }

bool ck_is_dying(void) {
  uint64_t first = atomic_load_explicit(&owner, memory_order_acquire);
  return first && first >> 32 == this_process();
}

bool ck_is_captor(void) {
  uint64_t first = atomic_load_explicit(&owner, memory_order_acquire);
  return first && first == this_thread();
}

bool ck_is_captured_elsewhere(void) { return ck_is_dying() && !ck_is_captor(); }

bool ck_is_reported(void) {
  uint64_t process = atomic_load_explicit(&reported_by, memory_order_acquire);
  return process && process == this_process();
}
