#pragma once
// The signals that a write of this package may send to the calling thread: SIGPIPE without a reader, SIGXFSZ at a limit
// of the file's size, SIGTTOU from the background. The program has not caused them.

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct cgr_write_signals {
  uint64_t before;   // the thread's mask
  uint64_t pending;  // what was sent before, and is the program's
} cgr_write_signals;

/// Holds them back. Async-signal-safe.
void cgr_write_signals_hold(cgr_write_signals *held);

/// Takes back the one that the kernel sent with the errno of a write, 0 for none. Call it with that signal blocked.
/// Async-signal-safe.
void cgr_write_signals_take_back(const cgr_write_signals *held, int error);

/// Takes back that one, and gives the thread its mask back. Async-signal-safe.
void cgr_write_signals_release(const cgr_write_signals *held, int error);

#pragma GCC visibility pop
