#pragma once
// The thread that looks at waits which nothing can interrupt: for queues, semaphores and groups.

#pragma GCC visibility push(hidden)

/// Says that such a wait begins. Starts the thread, if it is the first one, or wakes it.
void ctg_watcher_needed(void);

/// In a child of fork the thread is gone.
void ctg_watcher_lost(void);

#pragma GCC visibility pop
