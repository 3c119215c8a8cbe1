// The explorer's own tests: what C11 allows must turn up, and what it forbids must not.

#include "explorer.h"

namespace memory_order_models {

enum { X, Y, A = 0, B };

#define LITMUS(NAME, THREADS, WHAT, ALLOWED, BODY, SEEN)             \
  static void run_##NAME(int thread) BODY static void end_##NAME() { \
    for (int i = 0; i < THREADS; ++i)                                \
      if (!has_ended(i)) return;                                     \
    if (SEEN) fail("seen");                                          \
  }                                                                  \
  static const Register model_##NAME(                                \
      {"litmus." #NAME, WHAT, THREADS, 2, 2, run_##NAME, end_##NAME, ALLOWED ? "seen" : nullptr});

// Store buffering: each thread writes a word, then reads the other's.
#define SB(NAME, WRITES, READS, ALLOWED)           \
  LITMUS(                                          \
      NAME, 2, "both read the old value", ALLOWED, \
      {                                            \
        store(thread ? Y : X, 1, WRITES);          \
        keep(thread, load(thread ? X : Y, READS)); \
      },                                           \
      kept(0) == 0 && kept(1) == 0)
SB(sb_relaxed, RELAXED, RELAXED, true)
SB(sb_acquire_release, RELEASE, ACQUIRE, true)
SB(sb_seq_cst_writes_only, SEQ_CST, ACQUIRE, true)
SB(sb_seq_cst_reads_only, RELEASE, SEQ_CST, true)
SB(sb_seq_cst, SEQ_CST, SEQ_CST, false)

// Message passing: data, then a flag.
#define MP(NAME, BETWEEN_WRITES, WRITE, READ, BETWEEN_READS, ALLOWED) \
  LITMUS(                                                             \
      NAME, 2, "the flag without the data", ALLOWED,                  \
      {                                                               \
        if (thread == 0) {                                            \
          store(X, 1, RELAXED);                                       \
          fence(BETWEEN_WRITES);                                      \
          store(Y, 1, WRITE);                                         \
        } else {                                                      \
          keep(0, load(Y, READ));                                     \
          fence(BETWEEN_READS);                                       \
          keep(1, load(X, RELAXED));                                  \
        }                                                             \
      },                                                              \
      kept(0) == 1 && kept(1) == 0)
MP(mp_relaxed, RELAXED, RELAXED, RELAXED, RELAXED, true)
MP(mp_release_only, RELAXED, RELEASE, RELAXED, RELAXED, true)
MP(mp_acquire_only, RELAXED, RELAXED, ACQUIRE, RELAXED, true)
MP(mp_acquire_release, RELAXED, RELEASE, ACQUIRE, RELAXED, false)
MP(mp_fences, RELEASE, RELAXED, RELAXED, ACQUIRE, false)
MP(mp_one_fence, RELEASE, RELAXED, RELAXED, RELAXED, true)
MP(mp_fence_and_acquire, RELEASE, RELAXED, ACQUIRE, RELAXED, false)

// The explorer does not show this, though C11 allows it: see Docs/memory-order.md.
LITMUS(
    lb_is_not_shown, 2, "each reads what the other writes later", false,
    {
      keep(thread, load(thread ? Y : X, RELAXED));
      store(thread ? X : Y, 1, RELAXED);
    },
    kept(0) == 1 && kept(1) == 1)

// Independent reads of independent writes.
#define IRIW(NAME, WRITES, READS, ALLOWED)                               \
  LITMUS(                                                                \
      NAME, 4, "two readers see two writes in opposite orders", ALLOWED, \
      {                                                                  \
        if (thread < 2) return store(thread, 1, WRITES);                 \
        keep(thread * 2, load(thread == 2 ? X : Y, READS));              \
        keep(thread * 2 + 1, load(thread == 2 ? Y : X, READS));          \
      },                                                                 \
      kept(4) == 1 && kept(5) == 0 && kept(6) == 1 && kept(7) == 0)
IRIW(iriw_relaxed, RELAXED, RELAXED, true)
IRIW(iriw_acquire_release, RELEASE, ACQUIRE, true)
IRIW(iriw_seq_cst, SEQ_CST, SEQ_CST, false)

// Two threads write two words in opposite orders; a third finds what is last in each.
#define TWO_WRITES(NAME, ORDER, ALLOWED)                               \
  LITMUS(                                                              \
      NAME, 3, "the first writes are the last in both words", ALLOWED, \
      {                                                                \
        if (thread < 2) {                                              \
          store(thread ? Y : X, 1, ORDER);                             \
          store(thread ? X : Y, 2, ORDER);                             \
          return;                                                      \
        }                                                              \
        keep(0, load(X, RELAXED) * 10 + load(X, RELAXED));             \
        keep(1, load(Y, RELAXED) * 10 + load(Y, RELAXED));             \
      },                                                               \
      kept(0) == 21 && kept(1) == 21)
TWO_WRITES(two_writes_relaxed, RELAXED, true)
TWO_WRITES(two_writes_release, RELEASE, true)
TWO_WRITES(two_writes_seq_cst, SEQ_CST, false)

LITMUS(
    read_read_coherence, 2, "an older value after a newer one", false,
    {
      if (thread == 0) {
        store(X, 1, RELAXED);
        store(X, 2, RELAXED);
      } else {
        keep(0, load(X, RELAXED));
        keep(1, load(X, RELAXED));
      }
    },
    kept(0) == 2 && kept(1) == 1)
LITMUS(
    write_read_coherence, 2, "a thread does not see its own write", false,
    {
      store(X, 1 + thread, RELAXED);
      keep(thread, load(X, RELAXED));
    },
    kept(0) == 0 || kept(1) == 0)
LITMUS(
    additions_are_atomic, 2, "two additions find the same", false, { keep(thread, add(X, 1, RELAXED)); },
    kept(0) == kept(1))

// A release sequence: a third thread stands between who releases and who acquires.
#define BETWEEN(NAME, CHANGE, ALLOWED)               \
  LITMUS(                                            \
      NAME, 3, "the flag without the data", ALLOWED, \
      {                                              \
        if (thread == 0) {                           \
          store(Y, 1, RELAXED);                      \
          store(X, 1, RELEASE);                      \
        } else if (thread == 1) {                    \
          if (load(X, RELAXED) == 1) CHANGE;         \
        } else {                                     \
          keep(0, load(X, ACQUIRE));                 \
          keep(1, load(Y, RELAXED));                 \
        }                                            \
      },                                             \
      kept(0) == 2 && kept(1) == 0)
BETWEEN(release_sequence, add(X, 1, RELAXED), false)
BETWEEN(store_ends_release_sequence, store(X, 2, RELAXED), true)

LITMUS(
    release_goes_on_through_threads, 3, "the second flag without the data", false,
    {
      if (thread == 0) store(X, 1, RELEASE);
      if (thread == 1 && load(X, ACQUIRE) == 1) store(Y, 1, RELEASE);
      if (thread == 2) {
        keep(0, load(Y, ACQUIRE));
        keep(1, load(X, RELAXED));
      }
    },
    kept(0) == 1 && kept(1) == 0)

// A relaxed write may overtake a seq_cst one, on aarch64 too.
LITMUS(
    seq_cst_does_not_hold_back_relaxed, 2, "the later write without the earlier", true,
    {
      if (thread == 0) {
        store(Y, 1, SEQ_CST);
        store(X, 1, RELAXED);
      } else {
        keep(0, load(X, RELAXED));
        keep(1, load(Y, SEQ_CST));
      }
    },
    kept(0) == 1 && kept(1) == 0)

// Plain memory behind a flag.
#define PLAIN(NAME, WRITE, READ, EXPECTS)            \
  static void run_##NAME(int thread) {               \
    if (thread == 0) {                               \
      write(A, 1);                                   \
      store(X, 1, WRITE);                            \
    } else if (load(X, READ) == 1 && read(A) != 1) { \
      fail("an old value of plain memory");          \
    }                                                \
  }                                                  \
  static const Register model_##NAME({"litmus." #NAME, "no race", 2, 1, 1, run_##NAME, nullptr, EXPECTS});
PLAIN(plain_acquire_release, RELEASE, ACQUIRE, nullptr)
PLAIN(plain_relaxed, RELAXED, ACQUIRE, "a race on plain memory")
PLAIN(plain_relaxed_read, RELEASE, RELAXED, "a race on plain memory")

static void run_write_after_read(int thread) {
  if (thread == 0) {
    read(A);
    store(X, 1, RELAXED);
  } else if (load(X, ACQUIRE) == 1) {
    write(A, 1);
  }
}
static const Register model_write_after_read({"litmus.plain_write_after_read", "no race", 2, 1, 1, run_write_after_read,
                                              nullptr, "a race on plain memory"});

}  // namespace memory_order_models
