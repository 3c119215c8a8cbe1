#pragma once
// Serial queues as locks: the thread that runs a queue's work holds the queue.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// Keeps the stacks of a thread that is about to wait for a queue with other locks held: no thread can ask it later.
void ctg_queue_note_wait(struct ctg_thread_state *self);

/// Work of the current queue begins and ends on the calling thread; `taken` is where it was asked for, or NULL. To be
/// called in pairs, with what the first returned.
void *ctg_queue_work_begins(const struct ctg_held *taken);
void ctg_queue_work_ends(void *queue);

/// Asks what the order of a queue is that the thread is going to wait for and that another thread is to run.
void ctg_queue_ask_order(struct ctg_thread_state *self, struct ctg_held *wanted);

/// How many times work was given to a queue and waited for.
extern _Atomic unsigned long ctg_queue_syncs;

#pragma GCC visibility pop
