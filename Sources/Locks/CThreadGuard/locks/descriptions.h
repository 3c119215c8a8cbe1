#pragma once
// The description of a lock in a violation, and where it was taken.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// A lock that is held or wanted: its address and type, its name, and where it was made. The name that the program gave
/// it goes before a queue's label. Called with the engine's lock.
struct ctg_lock ctg_lock_described(const struct ctg_held *held);

/// The lock, or the class of locks, that a record is about. Called with the engine's lock.
struct ctg_lock ctg_lock_of_record(uint32_t number);

/// Where any thread took a lock. If the thread kept its stack, that; else the frames that it noted as it came in, which
/// are written to `frames`. Called with the engine's lock.
struct ctg_stack ctg_stack_noted(const struct ctg_held *held, uintptr_t frames[CTG_NOTED_CALLERS]);

/// Keeps the stacks of the calling thread's wait and of all that it holds, for the thread that reports them.
void ctg_wait_note_stacks(struct ctg_thread_state *self);

/// Keeps the stacks of what the calling thread holds as it ends.
void ctg_wait_note_held(struct ctg_thread_state *self);

#pragma GCC visibility pop
