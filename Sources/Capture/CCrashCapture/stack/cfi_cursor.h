#pragma once
// libunwind's generic side, resolved by name from the shared library: its remote unwinder with our own accessors.

#include <stdbool.h>

#include "processor/registers.h"
#include "stack/stack_window.h"

#pragma GCC visibility push(hidden)

/// What the accessors work on: one thread's registers and its window.
typedef struct ck_unwind_source {
  ck_registers registers;
  ck_stack_window window;
  bool no_information;  // set by the look-up where no FDE covers the address asked for
} ck_unwind_source;

typedef struct ck_cursor {
  uint64_t words[512];
  ck_unwind_source *source;
  bool is_behind;  // it has dropped the frame that the last step led to
} ck_cursor;

/// Opens the library (RTLD_NOW | RTLD_LOCAL). Not for handlers.
bool ck_libunwind_open(void);
bool ck_libunwind_is_open(void);

// The rest is async-signal-safe once opened and warmed: the cache and the pools exist, every symbol is bound.
bool ck_cursor_init(ck_cursor *cursor, ck_unwind_source *source);
/// As unw_step: positive if there is an outer frame, 0 at the end, negative on failure. A cursor that is behind
/// after it shows the outer frame and cannot step from there: start another.
int ck_cursor_step(ck_cursor *cursor);
/// A register of the frame that the cursor has come to.
bool ck_cursor_register(ck_cursor *cursor, int number, uint64_t *value);
/// Turns the frame-state cache off: it may be locked after a fault.
void ck_libunwind_without_cache(void);

#pragma GCC visibility pop
