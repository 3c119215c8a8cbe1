#pragma once
// The handler's time limit, kept by a timer that signals the capturing thread itself, and by the threads that wait for
// it. Time in which the process was paused does not count.

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// After this time, the report gives up the stage that it is in.
#define CK_SOFT_LIMIT_NS 2000000000ull
/// After this time, the process dies, even if the report is not finished.
#define CK_HARD_LIMIT_NS 4000000000ull
/// The time that the Swift runtime's own backtracer gets, if it is turned on.
#define CK_RUNTIME_LIMIT_NS 30000000000ull

/// Starts the limits for the calling thread. `signal` and `info` are what the process dies of. If the hard limit ends
/// the report, `gives_up` runs on that thread before the process dies. Async-signal-safe.
void ck_deadline_start(int signal, const siginfo_t *info, void (*gives_up)(void));

/// For other threads, again and again while they wait for the capturing one: ends the process as that one would, if it
/// is well past its limit. It may be in a call that no signal ends. Async-signal-safe.
void ck_deadline_keep(void);

/// When a thread looked at the clock last: while the limits run, several times a second. Async-signal-safe.
uint64_t ck_deadline_looked_ns(void);

/// Replaces both limits by one, in which pauses count, after which the process dies. Async-signal-safe.
void ck_deadline_restart(uint64_t limit_ns);

/// Ends the limits, for a process that goes on to exit by itself. Async-signal-safe.
void ck_deadline_stop(void);

#pragma GCC visibility pop
