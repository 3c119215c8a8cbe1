#pragma once
// The state of each thread: the locks that it holds, the orders in which it took locks, and what it waits for. Only the
// thread itself writes it. If something stalls, other threads read it through the table of all threads.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ground/state.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

#define CTG_HELD_MAX 64u
#define CTG_STACK_MAX 64
#define CTG_WALKS 8u
// Sets of hashes, found by their highest bits. Four ways: a thread that holds fifty locks in a row finds them all.
#define CTG_CHAIN_BITS 8
#define CTG_CHAIN_WAYS 4
#define CTG_THREADS_MAX 65536u
#define CTG_IS_SAMPLED 1u
#define CTG_OUTER_CALLERS 4u
#define CTG_NOTED_CALLERS (2 + CTG_OUTER_CALLERS)
/// Frame pointers are followed so far.
#define CTG_NOTED_BYTES 1024u

enum ctg_taking_flags {
  CTG_TAKEN_SHARED = 1,
  CTG_TAKEN_BY_TRY = 2,    // or with a time limit: it cannot wait for ever, so no order follows
  CTG_LOCK_IS_OPAQUE = 4,  // nothing of ours may be written into it
  CTG_LOCK_IS_ROBUST = 8,  // may be left behind by a thread that ends
  CTG_LOCK_PREFERS_WRITERS = 16,
  CTG_GIVEN_BACK = 64,          // by another thread, though the lock may not say so
  CTG_STACK_IS_KEPT = 32,       // of a lock that is held: its stack was asked for, as the thread waited for long
  CTG_TAKEN_BEFORE_FORK = 128,  // in the process that this one was forked from
};

/// A lock that is held, or being taken.
struct ctg_held {
  uintptr_t address;
  uint64_t chain;  // hash of this lock and of all those below it; of the lowest it is not made
  /// Where it was taken: the frame pointer of the caller and the return address, one after the other as in a frame;
  /// where the caller goes on in its own caller, if it keeps a frame pointer (else 0); and the caller's stack pointer,
  /// in whose lowest bit the watching thread notes that it has seen this entry (CTG_IS_SAMPLED): the next taking clears
  /// it.
  uintptr_t frame_pointer, caller, second_caller, stack_pointer;
  // These four are written as one word.
  uint32_t identity;  // separates the locks of one address; 0 for a lock that was not taken yet
  uint16_t again;     // how often a recursive lock was taken besides
  uint8_t type;       // enum ctg_lock_type
  uint8_t flags;      // enum ctg_taking_flags
  uint32_t stack;     // kept, of where it was taken; only where flags say so
  /// Where further callers go on in theirs, as long as each keeps a frame pointer: a wrapper such as std::lock_guard's
  /// may be several functions deep, and has returned by the time that the stack is asked for. Beside each its frame
  /// pointer, as the distance from the frame in which the lock was taken.
  uint8_t outer_count;
  uint16_t outer_frames[CTG_OUTER_CALLERS];
  uintptr_t outer_callers[CTG_OUTER_CALLERS];
};

typedef uint64_t __attribute__((may_alias)) ctg_held_word;

/// Copies an entry that another thread may be reading or writing, word by word. The copy may be of two entries: it
/// counts if `waits` shows that nothing changed meanwhile.
static inline void ctg_held_copy(struct ctg_held *to, const struct ctg_held *from) {
  _Static_assert(sizeof *to % sizeof(ctg_held_word) == 0, "an entry is whole words");
  ctg_held_word *target = (ctg_held_word *)to;
  const ctg_held_word *source = (const ctg_held_word *)from;
  for (size_t i = 0; i < sizeof *to / sizeof *target; ++i)
    __atomic_store_n(&target[i], __atomic_load_n(&source[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/// A stack as it is: where each function goes on, and its stack pointer there.
struct ctg_walk {
  size_t count;
  uintptr_t addresses[CTG_STACK_MAX];
  uintptr_t stack_pointers[CTG_STACK_MAX];
};

/// Of a thread that ended with locks that are still held.
enum ctg_ending { CTG_GOES_ON, CTG_HAS_ENDED, CTG_ENDING_WAS_TOLD };

struct ctg_thread_state {
  uint32_t next_free;
  uint32_t depth;
  uint32_t lost;    // how many held locks had no place
  uint32_t serial;  // never used again
  pid_t id;
  uint64_t mutex_user;  // as it stands in a mutex that the thread has, see quick_locks.h
  _Atomic bool is_live;
  _Atomic uint32_t waits;        // odd while it waits
  struct ctg_held wanted;        // what it waits for
  uint64_t suspicion;            // of the watching thread, for watch_thread.c
  const uint64_t *current_task;  // where the Swift runtime keeps it, or a zero
  uint32_t search;               // the last search that came by, for deadlocks.c
  uintptr_t handle;              // its pthread_t
  _Atomic int ending;            // enum ctg_ending
  struct ctg_thread ended;       // its name, once it has ended
  struct ctg_held held[CTG_HELD_MAX];
  uint64_t tasks[CTG_HELD_MAX];                          // that took each of them, or 0
  uint64_t chains[1 << CTG_CHAIN_BITS][CTG_CHAIN_WAYS];  // hashes of what need not be looked at again, the latest first
  struct ctg_walk walks[CTG_WALKS];                      // the last ones, for stacks.c
};

/// Whether this is a lock, which stays with the thread that took it. A queue or a group whose work runs is none, nor is
/// a semaphore, which any thread may post.
static inline bool ctg_is_lock(const struct ctg_held *held) {
  return held->type != CTG_QUEUE && held->type != CTG_GROUP && held->type != CTG_SEMAPHORE;
}

/// Whether the thread still has it: another thread may have given it back.
static inline bool ctg_has_still(const struct ctg_held *held) {
  return !(__atomic_load_n(&held->flags, __ATOMIC_RELAXED) & CTG_GIVEN_BACK);
}

/// What a mutex holds in its two words for the owner and the number of its users, if one thread has it and no thread
/// waits for a condition with it. Written as one.
static inline uint64_t ctg_mutex_user(pid_t id) { return (uint32_t)id | (uint64_t)1 << 32; }

extern __thread struct ctg_thread_state *ctg_thread_self __attribute__((tls_model("initial-exec")));

/// Makes the calling thread's state. NULL if the thread is not watched: before the start, in ThreadGuard's own work, at
/// the thread's end, and if the table is full.
struct ctg_thread_state *ctg_thread_attach(void);

static inline struct ctg_thread_state *ctg_self(void) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (__builtin_expect(ctg_busy != 0, 0)) return NULL;
  if (__builtin_expect(!self, 0)) return ctg_thread_attach();
  return self;
}

/// Says what is called on a thread that ends, after the program's own destructors. Called once, at the start.
void ctg_threads_prepare(void (*thread_ends)(struct ctg_thread_state *self));

/// The calling thread is watched no more.
void ctg_thread_detach(void);

/// Gives back the state of a thread that is gone.
void ctg_thread_release(struct ctg_thread_state *state);

/// In a child of fork: the calling thread is the only one left.
void ctg_threads_fork(void);

/// The state in place `index` of all that ever were, or NULL after the last. It may belong to no thread at present.
struct ctg_thread_state *ctg_thread_at(uint32_t index);

/// Any thread with its name of now.
struct ctg_thread ctg_thread_named(const struct ctg_thread_state *state);

/// The calling thread as a violation names it.
struct ctg_thread ctg_thread_description(const struct ctg_thread_state *state);

#pragma GCC visibility pop
