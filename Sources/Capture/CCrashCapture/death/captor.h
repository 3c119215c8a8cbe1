#pragma once
// Decides which thread makes the report. There is memory for one report at a time, and processes may share it: children
// of vfork, and of clone with CLONE_VM, do so with their parent and with each other.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum ck_captor_turn {
  CK_TURN_NONE,          // another thread of this process was first, or another process did not finish in time
  CK_TURN_FIRST,         // the calling thread makes the report, in unused memory
  CK_TURN_AFTER_OTHERS,  // the calling thread makes the report, in memory with another process's report
} ck_captor_turn;

/// Asks to make this process's report on the calling thread. While another process with the same memory makes its own
/// report, this function waits for it, at most CK_HARD_LIMIT_NS. Async-signal-safe.
ck_captor_turn ck_captor_take_turn(void);
/// The calling thread, which has the turn, has made the report. Async-signal-safe.
void ck_captor_has_reported(void);
/// The calling process needs the report's memory no more: another process may take its turn. Async-signal-safe.
void ck_captor_leaves(void);

/// Whether a thread of this process makes the report or has made it. Async-signal-safe.
bool ck_is_dying(void);
/// Whether the calling thread does. Makes no system call before there is a crash: a filter may kill for it.
/// Async-signal-safe.
bool ck_is_captor(void);
/// Whether another thread of this process was first to make the report. Async-signal-safe.
bool ck_is_captured_elsewhere(void);
/// Whether this process's report is made. Async-signal-safe.
bool ck_is_reported(void);

#pragma GCC visibility pop
