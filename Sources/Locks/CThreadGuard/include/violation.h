#pragma once
// A violation, on its way from the part that finds it to the report.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kinds.h"

#pragma GCC visibility push(hidden)

enum ctg_lock_type {
  CTG_MUTEX,
  CTG_RECURSIVE_MUTEX,
  CTG_RWLOCK,
  CTG_SPINLOCK,
  CTG_SEMAPHORE,
  CTG_GROUP,
  CTG_QUEUE,
  CTG_GUARDED_LOCK,
  CTG_THREAD,       // one that is joined
  CTG_SWIFT_MUTEX,  // a Mutex of Synchronization
};

enum ctg_mode { CTG_EXCLUSIVE, CTG_SHARED };

/// In an entry of a stack: the address is that of an instruction to which a signal came, and not a return address.
#define CTG_IS_INSTRUCTION ((uintptr_t)1 << 63)

/// Return addresses, innermost first, those marked CTG_IS_INSTRUCTION excepted. A return address points after its call,
/// which may be another line or another function. A count of 0 stands for an unknown stack.
struct ctg_stack {
  const uintptr_t *addresses;
  size_t count;
};

/// The address that an entry of a stack holds.
static inline uintptr_t ctg_entry_address(uintptr_t entry) { return entry & ~CTG_IS_INSTRUCTION; }

static inline bool ctg_entry_is_instruction(uintptr_t entry) { return entry & CTG_IS_INSTRUCTION; }

static inline uintptr_t ctg_entry_of_instruction(uintptr_t address) { return address | CTG_IS_INSTRUCTION; }

/// An address inside the instruction that an entry stands for. It decides the image, the function and the line.
static inline uintptr_t ctg_entry_place(uintptr_t entry) {
  return ctg_entry_is_instruction(entry) ? ctg_entry_address(entry) : entry - (entry > 0);
}

struct ctg_thread {
  pid_t id;
  char name[16];
};

struct ctg_lock {
  uintptr_t address;
  enum ctg_lock_type type;
  /// The program's own name of the lock or its class, a queue's label; or null.
  const char *name;
  /// Where it was made or first seen.
  struct ctg_stack origin;
};

/// "While `from` was held, `to` was taken"; or, in a deadlock, "the holder of `from` waits for `to`".
struct ctg_edge {
  /// Indexes into the violation's locks.
  size_t from, to;
  enum ctg_mode from_mode, to_mode;
  struct ctg_thread thread;
  /// Where each of the two was taken, or is waited for.
  struct ctg_stack from_stack, to_stack;
  /// What else the thread held, as indexes into the violation's locks.
  const size_t *held;
  size_t held_count;
};

/// A stack that belongs to the violation and to no edge.
struct ctg_labelled_stack {
  /// As a person reads it: "unlocked here", "enqueued from", "the other access (write)".
  const char *label;
  struct ctg_thread thread;
  struct ctg_stack stack;
};

/// One violation. Everything it points to belongs to the caller and is read before ctg_violation_report returns.
struct ctg_violation {
  enum ctg_kind kind;
  enum ctg_severity severity;
  /// A short stable name of the rule within its kind: "cycle", "double-unlock", "unlock-by-other-thread".
  const char *code;
  /// One sentence for a person.
  const char *message;
  const struct ctg_lock *locks;
  size_t lock_count;
  const struct ctg_edge *edges;
  size_t edge_count;
  /// The first is where the violation happened.
  const struct ctg_labelled_stack *stacks;
  size_t stack_count;
  /// For rules about queues and threads; null if they do not apply.
  const char *expected, *actual;
  /// The source position at which a rule is stated in Swift; null and 0 if there is none.
  const char *function, *file;
  unsigned line;
  /// A number for the locks, or their classes, that the rule was broken with: with other stacks it is the same mistake,
  /// reported once. 0 if each place in the code is one of its own.
  uint64_t subject;
  /// On whose account the thread was working (ctg_current_account); set where the violation is kept.
  uint64_t account;
};

#pragma GCC visibility pop
