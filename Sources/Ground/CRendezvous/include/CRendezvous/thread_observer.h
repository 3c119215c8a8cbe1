#pragma once
// An observer of the starts and ends of threads.

/// Both run on the thread itself. `started` runs before the thread's function; on an older thread it runs in the middle
/// of that function, maybe in a handler of the program, so it must be async-signal-safe. `ended` runs after the
/// program's own thread-specific destructors, outside any handler.
typedef struct crv_thread_observer {
  void (*started)(void);
  void (*ended)(void);
} crv_thread_observer;
