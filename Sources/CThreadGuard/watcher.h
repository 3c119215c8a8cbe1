#pragma once
// The thread that looks at what no thread can see of itself: waits which nothing can interrupt (for queues, semaphores and
// groups), locks that are held or waited for too long, and locks of Swift tasks that run no more.

#pragma GCC visibility push(hidden)

/// Says that such a wait begins. Starts the thread, if it is the first one, or wakes it.
void ctg_watcher_needed(void);

/// Says that there may be something to look at. Starts nothing.
void ctg_watcher_wake(void);

/// In a child of fork the thread is gone.
void ctg_watcher_lost(void);

#pragma GCC visibility pop
