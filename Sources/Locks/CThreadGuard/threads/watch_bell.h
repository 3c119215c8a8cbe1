#pragma once
// Wakes the watching thread, which sleeps until a thread has something to check.

#pragma GCC visibility push(hidden)

/// Says how the watching thread is started. Until then nothing is watched. Called once, at the start.
void ctg_watch_bell_prepare(void (*start)(void));

/// Says that a wait begins which nothing can interrupt. Starts the thread if it is the first such wait, or wakes it.
void ctg_watcher_needed(void);

/// Says that there may be something to look at. Starts nothing.
void ctg_watcher_wake(void);

/// The watching thread itself: sleeps until it is needed.
void ctg_watcher_sleep(void);

/// In a child of fork the thread is gone.
void ctg_watcher_lost(void);

#pragma GCC visibility pop
