// A small table of marks. Atomics and system calls only; a child of fork inherits the table and none of the threads.

#include "CGround/own_ids.h"
#include "CGround/own_threads.h"

#include <stdatomic.h>
#include <stdint.h>

/// More than this package ever runs at a time; a thread beyond them is listed as the program's.
#define MARKS 32

// Process id, thread id and owner.
static _Atomic uint64_t marks[MARKS];

static uint64_t process_part(void) { return (uint64_t)cgr_process_id() << 32; }

static uint64_t mark_of(enum cgr_owner owner, int tid) { return process_part() | (uint64_t)(uint32_t)tid << 2 | owner; }

void cgr_own_thread_begins(enum cgr_owner owner) {
  uint64_t mark = mark_of(owner, (int)cgr_thread_id());
  for (int i = 0; i < MARKS; ++i) {
    uint64_t seen = atomic_load(&marks[i]);
    bool is_free = seen == 0 || seen >> 32 != mark >> 32;
    if (is_free && atomic_compare_exchange_strong(&marks[i], &seen, mark)) return;
  }
}

void cgr_own_thread_ends(void) {
  int tid = (int)cgr_thread_id();
  for (int i = 0; i < MARKS; ++i) {
    uint64_t seen = atomic_load(&marks[i]);
    if (seen == mark_of(CGR_OF_CRASHKIT, tid) || seen == mark_of(CGR_OF_THREADGUARD, tid)) atomic_store(&marks[i], 0);
  }
}

bool cgr_is_own_thread(enum cgr_owner owner, int tid) {
  uint64_t mark = mark_of(owner, tid);
  for (int i = 0; i < MARKS; ++i)
    if (atomic_load(&marks[i]) == mark) return true;
  return false;
}
