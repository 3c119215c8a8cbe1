// An access writes its thread's id, or a count, into a word beside the value. If it finds another thread's id there, it
// leaves its own stack. The other access adds its stack when it ends. So stacks are taken only for overlaps.
//
// An access of nanoseconds hardly ever meets another. So for values that several threads use, an access sometimes
// pauses for about 0.1 ms, at most once in eight milliseconds.

#include "access.h"

#ifdef THREADGUARD

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "current/frames.h"
#include "current_queue.h"
#include "locks/held_words.h"
#include "noise/perturb_points.h"

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

#define WRITER 0xffffffffull
#define READER (1ull << 32)
#define READERS (0xffffull << 32)
#define OVERLAPPED (1ull << 63)

#define PAUSE_NS 50000
#define PAUSE_SPACING_MS 8
/// Of one value.
#define REPORTS 8
/// Overlaps whose first access is still under way.
#define PENDING 32
/// Reads that one thread has under way at once, one inside the other.
#define OWN_READS 16

enum { NOTHING, READING, WRITING, LATE = 4 };
enum { FREE, FILLING, READY, TAKEN };

static struct {
  _Atomic int stage;
  struct ctg_overlap overlap;
} pending[PENDING];

static _Thread_local INITIAL_EXEC struct {
  const struct ctg_access *reads[OWN_READS];
  unsigned count;
} own;

static _Atomic(uint64_t) *state_of(struct ctg_access *access) { return (_Atomic(uint64_t) *)&access->state; }

// --- Overlaps ------------------------------------------------------------------------------------------------------

static void fill(struct ctg_access_side *side, bool writes, const void *frame) {
  side->writes = writes;
  side->thread = ctg_thread_id();
  memset(side->thread_name, 0, sizeof side->thread_name);
  prctl(PR_GET_NAME, side->thread_name);
  ctg_held_in_words(side->locks, sizeof side->locks);
  side->frame_count = ctg_frames_above(frame, side->frames, CTG_ACCESS_FRAMES);
}

static bool take_place(int i, int from, int to) { return atomic_compare_exchange_strong(&pending[i].stage, &from, to); }

static bool holds(int i, const struct ctg_access *access) {
  return atomic_load(&pending[i].stage) == READY && pending[i].overlap.access == access;
}

// A free place, or one that was left for the same value and that no thread came for.
static int place_for(const struct ctg_access *access) {
  for (int i = 0; i < PENDING; ++i)
    if (holds(i, access) && take_place(i, READY, FILLING)) return i;
  for (int i = 0; i < PENDING; ++i)
    if (take_place(i, FREE, FILLING)) return i;
  return -1;
}

// The second access leaves what it knows. If there is no room, another overlap has to do.
static void leave(struct ctg_access *access, bool writes, const void *frame) {
  int place = place_for(access);
  if (place < 0) return;
  pending[place].overlap.access = access;
  fill(&pending[place].overlap.second, writes, frame);
  atomic_store(&pending[place].stage, READY);
  uint64_t before = atomic_fetch_or(state_of(access), OVERLAPPED);
  if (before & (WRITER | READERS)) return;
  // The first has ended meanwhile, so it will not come for it.
  atomic_fetch_and(state_of(access), ~OVERLAPPED);
  ctg_access_forget(access);
}

void ctg_access_forget(const struct ctg_access *access) {
  for (int i = 0; i < PENDING; ++i)
    if (holds(i, access) && take_place(i, READY, TAKEN)) atomic_store(&pending[i].stage, FREE);
}

// The first comes for it.
static bool collect(struct ctg_access *access, bool writes, const void *frame, struct ctg_overlap *overlap) {
  for (int i = 0; i < PENDING; ++i) {
    if (!holds(i, access) || !take_place(i, READY, TAKEN)) continue;
    *overlap = pending[i].overlap;
    // Between the look and the exchange the place may have changed hands.
    bool is_ours = overlap->access == access;
    atomic_store(&pending[i].stage, is_ours ? FREE : READY);
    if (!is_ours || access->reported >= REPORTS) continue;
    ++access->reported;
    fill(&overlap->first, writes, frame);
    return true;
  }
  return false;
}

// --- Pauses --------------------------------------------------------------------------------------------------------

static uint32_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint32_t)(now.tv_sec * 1000 + now.tv_nsec / 1000000) | 1;
}

static void pause_now_and_then(struct ctg_access *access) {
  uint32_t self = (uint32_t)ctg_thread_id();
  uint32_t last = __atomic_load_n(&access->last_thread, __ATOMIC_RELAXED);
  uint32_t paused_at = __atomic_load_n(&access->paused_at, __ATOMIC_RELAXED);
  if (last != self) __atomic_store_n(&access->last_thread, self, __ATOMIC_RELAXED);
  if (paused_at == 0 && (last == self || last == 0)) return;
  uint32_t now = milliseconds();
  if (paused_at != 0 && now - paused_at < PAUSE_SPACING_MS) return;
  __atomic_store_n(&access->paused_at, now, __ATOMIC_RELAXED);
  int error = errno;
  nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
  errno = error;
}

// --- Accesses ------------------------------------------------------------------------------------------------------

static unsigned own_reads(const struct ctg_access *access) {
  unsigned count = 0;
  for (unsigned i = 0; i < own.count && i < OWN_READS; ++i) count += own.reads[i] == access;
  return count;
}

// Whether what is under way is another thread's. With more reads inside each other than are kept it is unknown.
static bool is_others(const struct ctg_access *access, uint64_t state, bool writes) {
  if (state & WRITER) return (state & WRITER) != (uint32_t)ctg_thread_id();
  if (!writes || !(state & READERS)) return false;
  return own.count <= OWN_READS && (state & READERS) / READER != own_reads(access);
}

int ctg_access_begin(struct ctg_access *access, bool writes) {
  ctg_boundary();
  uint64_t state = atomic_load_explicit(state_of(access), memory_order_relaxed), wanted;
  do {
    if (is_others(access, state, writes)) {
      leave(access, writes, OWN_FRAME);
      return NOTHING;
    }
    // One inside another of the same thread is part of that.
    if (state & WRITER || (writes && state & READERS)) return NOTHING;
    wanted = writes ? state | (uint32_t)ctg_thread_id() : state + READER;
  } while (!atomic_compare_exchange_weak_explicit(state_of(access), &state, wanted, memory_order_acq_rel,
                                                  memory_order_relaxed));
  if (!writes && own.count++ < OWN_READS) own.reads[own.count - 1] = access;
  pause_now_and_then(access);
  ctg_boundary();
  // What is left there already overlaps others and not this one.
  return (writes ? WRITING : READING) | (state & OVERLAPPED ? LATE : 0);
}

// Reads end in the reverse order of their beginning, except those of coroutines.
static void forget_read(const struct ctg_access *access) {
  if (own.count == 0 || own.count-- > OWN_READS) return;
  unsigned at = own.count;
  while (at > 0 && own.reads[at] != access) --at;
  for (; at < own.count; ++at) own.reads[at] = own.reads[at + 1];
}

bool ctg_access_end(struct ctg_access *access, int token, struct ctg_overlap *overlap) {
  if (token == NOTHING) return false;
  bool writes = token & WRITING;
  if (!writes) forget_read(access);
  uint64_t taken = writes ? (uint32_t)ctg_thread_id() : READER;
  uint64_t before = atomic_fetch_sub_explicit(state_of(access), taken, memory_order_acq_rel);
  if (__builtin_expect(!(before & OVERLAPPED), 1)) return false;
  bool is_last = !((before - taken) & (WRITER | READERS));
  if (token & LATE && !is_last) return false;
  atomic_fetch_and(state_of(access), ~OVERLAPPED);
  if (!(token & LATE)) return collect(access, writes, OWN_FRAME, overlap);
  ctg_access_forget(access);
  return false;
}

#endif
