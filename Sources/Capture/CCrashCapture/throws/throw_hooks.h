#pragma once
// The Swift runtime's hooks for throws, and its functions for errors.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where functions of the runtime begin; 0 for those that this program has not.
typedef struct ck_error_functions {
  uint64_t will_throw;
  uint64_t will_throw_typed;
  uint64_t unexpected_error;  // what `try!` calls
  uint64_t error_in_main;     // what ends a program whose top level throws
} ck_error_functions;

extern ck_error_functions ck_error_functions_found;

/// Whether this function announces throws: the runtime's own, or what stands in its hooks now, which may be another's.
/// Async-signal-safe.
bool ck_announces_throws(uint64_t function);

/// Sets memory aside and puts CrashKit's functions into the hooks, before any that are there. Does nothing in a program
/// without a Swift runtime, or with one that has no such hooks. Not for handlers.
void ck_throw_hooks_install(void);
/// Records nothing more, and takes the functions out if they are still the last that were put in. Not for handlers.
void ck_throw_hooks_remove(void);

#pragma GCC visibility pop
