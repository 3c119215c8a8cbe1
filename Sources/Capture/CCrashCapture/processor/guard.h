#pragma once
// Lets the capturing thread continue if a read or libunwind faults: the fault handler jumps to the guard.

#include <stdbool.h>
#include <stdint.h>

#include "processor/registers.h"
#include "CGround/unjumped.h"

#pragma GCC visibility push(hidden)

/// Of each thread that captures, a crash or itself alive, the innermost; they nest by being kept and put back.
typedef struct ck_guard {
  uint64_t magic;  // with its own address in it: the word that leads here lies next to the stack, and may be overrun
  struct ck_jump jump;
} ck_guard;

#define CK_GUARD_MAGIC(guard) (0x6b63756172642121ull ^ (uintptr_t)(guard))

extern CGR_OF_THREAD ck_guard *volatile ck_guard_current;

/// Runs what follows until ck_guard_leave; comes back with 1 after a fault. Async-signal-safe.
/// The guard counts only once it can be jumped to.
#define CK_GUARD_ENTER(guard, outer)                                   \
  ((outer) = ck_guard_current, (guard)->magic = CK_GUARD_MAGIC(guard), \
   ck_jump_set(&(guard)->jump) ? 1 : (ck_guard_current = (guard), 0))
#define CK_GUARD_LEAVE(outer) ((void)(ck_guard_current = (outer)))

/// Whether filters of the program bar what guards need. Memory is then read by plain loads, and the second of them that
/// faults finds its signal blocked: the process would die of that one. Async-signal-safe.
bool ck_guards_are_barred(void);

#pragma GCC visibility pop
