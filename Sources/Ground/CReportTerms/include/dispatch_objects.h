#pragma once
// The object inside libdispatch for which a thread waits, found by the words around the futex word. This works in a
// process, also with static libdispatch, and in its core file. The functions use only data that was read.
// Async-signal-safe.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The words of 64 bits of each object that are read, and how many bytes of it lie before the kernel's word.
enum {
  TERM_SYNC_WORDS = 13,
  TERM_SYNC_BEFORE = 96,
  TERM_GROUP_WORDS = 7,
  TERM_GROUP_BEFORE = 52,
  TERM_SEMAPHORE_WORDS = 8,
  TERM_SEMAPHORE_BEFORE = 64,
  TERM_QUEUE_WORDS = 10,
};

/// Queues that stand behind each other, as targets, and are followed at most.
#define TERM_QUEUES_MAX 16
/// Bytes of a label that are read.
#define TERM_LABEL_MAX 128

/// Whether the kernel's operation and the value that it expects are those of a thread that waits for a queue, and those
/// of one that waits for a group.
bool term_may_wait_for_queue(uint64_t operation, uint64_t expected);
bool term_may_wait_for_group(uint64_t operation);

/// The queue that a thread is inside dispatch_sync of; 0 if the words are not those of such a call of that thread.
///
/// The call names its own address and its thread's id.
uint64_t term_sync_queue(const uint64_t words[TERM_SYNC_WORDS], uint64_t word, int thread);

typedef struct term_queue {
  uint64_t target;  // the queue that its blocks run on; 0 for a root queue
  uint64_t label;   // where its text is; 0 for none
  int owner;        // the thread that runs it alone; 0 for none
} term_queue;

/// False if the words are not those of a queue.
bool term_queue_read(const uint64_t words[TERM_QUEUE_WORDS], term_queue *queue);

/// Whether the words are those of a group, waited for at that generation.
bool term_is_group(const uint64_t words[TERM_GROUP_WORDS], uint64_t expected);
/// Whether the words are those of a DispatchSemaphore that threads wait for.
bool term_is_dispatch_semaphore(const uint64_t words[TERM_SEMAPHORE_WORDS]);

#pragma GCC visibility pop
