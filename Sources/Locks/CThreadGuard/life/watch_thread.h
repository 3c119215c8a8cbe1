#pragma once
// The watching thread. It checks what a thread cannot check itself: waits that nothing can interrupt (for queues,
// semaphores and groups), locks that are held or waited for too long, and locks of Swift tasks that no longer run.

#pragma GCC visibility push(hidden)

/// Makes the thread known to its bell, which starts it at the first need. Called once, at the start.
void ctg_watch_thread_prepare(void);

#pragma GCC visibility pop
