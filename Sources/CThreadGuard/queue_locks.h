#pragma once
// Serial queues as locks: the thread that runs a queue's work holds the queue.

#include "thread_state.h"

#pragma GCC visibility push(hidden)

/// The queue that the calling thread runs alone: a serial one, or one with a barrier. NULL for none or where that
/// cannot be told. What libdispatch says is the current queue is it where one of the first words of it has this
/// thread's id in its low 30 bits, as dq_state has of a queue that is run by one thread (swift-corelibs-libdispatch,
/// src/shims/lock.h).
void *ctg_queue_run_alone(const struct ctg_thread_state *self);

/// Whether a thread runs a queue alone, which the caller knows to be there.
bool ctg_queue_is_run_by(uintptr_t queue, pid_t thread);

/// Work of a queue begins and ends on the calling thread; `taken` is where it was asked for, or NULL. To be called in
/// pairs, with what the first returned.
void *ctg_queue_work_begins(const struct ctg_held *taken);
void ctg_queue_work_ends(void *queue);

/// How many times work was given to a queue and waited for.
extern _Atomic unsigned long ctg_queue_syncs;

#pragma GCC visibility pop
