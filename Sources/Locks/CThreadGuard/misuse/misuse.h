#pragma once
// Locks used in ways that their rules forbid. Each is reported once for the code that does it.

#include "rules.h"
#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Reports a rule about one lock. `where` may stand on the thread's stack of locks or not; it gives the lock and the
/// place. `held_at` gives where the lock was taken, unless it is NULL. `message` may be NULL, for the rule's sentence.
void ctg_misuse(struct ctg_thread_state *self, const struct ctg_held *where, const struct ctg_held *held_at,
                enum ctg_rule rule, const char *message);

/// A task holds the lock of `where` while its thread does other work, or unlocked it on another thread. Reported once
/// for the lock, and where it was taken first: `held_at`, or NULL if that was on another thread.
void ctg_held_across_await(struct ctg_thread_state *self, const struct ctg_held *where, const struct ctg_held *held_at,
                           const char *message);

/// Reports the locks below `taken` that another task took.
void ctg_held_by_other_task(struct ctg_thread_state *self, const struct ctg_held *taken);

/// A place in the program, for ctg_misuse: `frame` is the interposed function's own.
struct ctg_held ctg_place(uintptr_t address, enum ctg_lock_type type, uint8_t flags, const uintptr_t *frame);

/// What is at this address is another lock than before.
void ctg_lock_renewed(uintptr_t address);

/// Whether a thread has a lock, by the lock's own word.
enum ctg_lock_use { CTG_IS_FREE, CTG_IS_IN_USE, CTG_USE_IS_UNKNOWN };

/// The program is about to make a lock at a place where this thread may still hold an older one. `use` describes the
/// older one. It is CTG_IS_FREE if the thread unlocked that lock at another address of the same memory.
void ctg_lock_made(struct ctg_thread_state *self, const struct ctg_held *place, enum ctg_lock_use use);

/// A lock was destroyed, or could not be since it is in use. One that is free has no holder, whatever is noted of
/// it.
void ctg_lock_destroyed(struct ctg_thread_state *self, const struct ctg_held *place, enum ctg_lock_use use);

#pragma GCC visibility pop
