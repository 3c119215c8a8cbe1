// Objects of libdispatch, as it lays them out on 64 bits. The layout is that of each Swift from 5 on.

#include "dispatch_objects.h"

#include <linux/futex.h>

// swift-corelibs-libdispatch, src/queue_internal.h, dispatch_sync_context_s: its context is the call itself.
enum { SYNC_CONTEXT = 5, SYNC_QUEUE = 7, SYNC_EVENT = 12 };
// src/object_internal.h, dispatch_object_s.
enum { OBJECT_NEXT = 2, OBJECT_TARGET = 3 };
// src/queue_internal.h, dispatch_queue_s.
enum { QUEUE_STATE = 7, QUEUE_NUMBER = 8, QUEUE_LABEL = 9 };
// src/semaphore_internal.h: both, and which of the group's low bits says that a thread waits.
enum { GROUP_STATE = 6, GROUP_HAS_WAITERS = 1, SEMAPHORE_VALUE = 6 };

// The next one of an object that is in no list.
#define LISTLESS 0xffffffff89abcdefull

bool term_may_wait_for_queue(uint64_t operation, uint64_t expected) {
  return operation == FUTEX_WAIT_PRIVATE && (uint32_t)expected == UINT32_MAX;
}

bool term_may_wait_for_group(uint64_t operation) { return operation == FUTEX_WAIT_PRIVATE; }

uint64_t term_sync_queue(const uint64_t words[TERM_SYNC_WORDS], uint64_t word, int thread) {
  bool is_its_call = words[SYNC_CONTEXT] == word - TERM_SYNC_BEFORE && words[SYNC_EVENT] >> 32 == (uint32_t)thread;
  return is_its_call ? words[SYNC_QUEUE] : 0;
}

bool term_queue_read(const uint64_t words[TERM_QUEUE_WORDS], term_queue *queue) {
  // libdispatch numbers its queues from 1 on.
  if (words[QUEUE_NUMBER] == 0 || words[QUEUE_NUMBER] > UINT32_MAX) return false;
  queue->target = words[OBJECT_TARGET];
  queue->label = words[QUEUE_LABEL];
  queue->owner = (int)(words[QUEUE_STATE] & FUTEX_TID_MASK);
  return true;
}

bool term_is_group(const uint64_t words[TERM_GROUP_WORDS], uint64_t expected) {
  return words[OBJECT_NEXT] == LISTLESS && words[GROUP_STATE] >> 32 == (uint32_t)expected
         && (words[GROUP_STATE] & GROUP_HAS_WAITERS);
}

bool term_is_dispatch_semaphore(const uint64_t words[TERM_SEMAPHORE_WORDS]) {
  return words[OBJECT_NEXT] == LISTLESS && (int64_t)words[SEMAPHORE_VALUE] < 0;
}
