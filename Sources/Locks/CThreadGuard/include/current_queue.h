#pragma once
// The current thread and the current queue. Ordinary code, unless a comment says otherwise; nothing here takes a lock.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/// The thread pointer of the thread that the process started with.
extern uintptr_t ctg_main_thread;

/// Whether the caller runs on the thread that the process started with. Async-signal-safe. Part of its caller in every
/// build.
static inline __attribute__((always_inline)) bool ctg_is_main_thread(void) {
  return (uintptr_t)__builtin_thread_pointer() == ctg_main_thread;
}

/// The kernel's id of the calling thread. Async-signal-safe.
pid_t ctg_thread_id(void);

/// Whether the calling thread runs `queue`, Swift's object, directly or below queues that target it. False also where
/// that cannot be learnt from the queue itself, which is so for a concurrent queue that is not the innermost one.
bool ctg_is_on(const void *queue);

/// Whether ctg_is_on is right of `queue` also where it says no: a serial one.
bool ctg_is_on_is_final(const void *queue);

/// The same as ctg_is_on for the main queue.
bool ctg_is_on_main(void);

/// Whether the calling thread runs the current task or job on the serial executor that these two words name.
/// -1 if the Swift runtime has no answer that does not end the process.
int ctg_is_on_executor(uintptr_t identity, uintptr_t implementation);

/// Whether the calling thread runs on the main actor's executor, which need not be the main queue's. False if the
/// runtime does not tell.
bool ctg_is_on_main_executor(void);

#pragma GCC visibility pop
