#pragma once
// Threads: called as each one starts and ends, for those made by pthread_create after the observer was set.

#pragma GCC visibility push(hidden)

/// Both run on the thread itself, outside any handler: `started` before the thread's function, `ended` after the
/// program's own thread-specific destructors have had their turn.
typedef struct cph_thread_observer {
  void (*started)(void);
  void (*ended)(void);
} cph_thread_observer;

#define CPH_THREAD_OBSERVERS 2

/// Adds an observer, for good; the structure must live as long as the process. Returns 0, or ENOMEM when both places
/// are taken. Safe from any thread.
int cph_observe_threads(const cph_thread_observer *observer);

typedef enum cph_thread_phase {
  CPH_THREAD_UNKNOWN,   // older than the observers, or not come as far as here
  CPH_THREAD_STARTING,  // the observers are being told
  CPH_THREAD_RUNNING,   // the program's own function
  CPH_THREAD_ENDING,
} cph_thread_phase;

/// How far the calling thread has come. Async-signal-safe.
extern _Thread_local __attribute__((tls_model("initial-exec"))) cph_thread_phase cph_current_thread_phase;

#pragma GCC visibility pop
