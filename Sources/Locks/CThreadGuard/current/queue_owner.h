#pragma once
// Which thread runs a queue, read from libdispatch's object. libdispatch keeps the id of the thread that runs a queue
// alone in the low 30 bits of one of the queue's first words, so that waiters can lend that thread their priority
// (swift-corelibs-libdispatch, src/shims/lock.h). ThreadGuard finds the position of this word by a test queue. The
// caller must know that the given queues, libdispatch's objects, still exist.

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/// Finds the word, once. It makes two queues and runs one of them. Ordinary libdispatch: call it with no lock of
/// ThreadGuard's.
void ctg_queue_owner_prepare(void);

/// Whether a thread runs a queue alone: a serial one, or one with a barrier. False if the word is not known.
bool ctg_queue_is_run_by(uintptr_t queue, pid_t thread);

/// Whether any thread runs a queue alone at this moment. True if that is not known.
bool ctg_queue_is_busy(uintptr_t queue);

/// Whether ctg_queue_is_run_by can be trusted to say no as well: the queue is a serial one, and the word is known.
bool ctg_queue_is_serial(uintptr_t queue);

#pragma GCC visibility pop
