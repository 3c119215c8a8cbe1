// Reads libdispatch's objects around the word that a thread waits on.

#include "threads/dispatch_waits.h"

#include "CGround/memory.h"
#include "dispatch_objects.h"

static bool read_words(uint64_t address, uint64_t *words, size_t count) {
  return address % 8 == 0 && cgr_memory_read(address, words, count * sizeof *words) == count * sizeof *words;
}

// If the thread has got the queue already, it waits for the one behind it. A root queue is never waited for.
static void find_busy_queue(int thread, uint64_t queue, ck_wait *wait) {
  uint64_t words[TERM_QUEUE_WORDS];
  term_queue read;
  for (int i = 0; i < TERM_QUEUES_MAX && queue != 0; ++i, queue = read.target) {
    if (!read_words(queue, words, TERM_QUEUE_WORDS) || !term_queue_read(words, &read)) return;
    bool is_own = read.owner == thread;
    if (i == 0 || (!is_own && read.target != 0))
      *wait = (ck_wait){TERM_WAIT_QUEUE, queue, is_own ? 0 : read.owner, read.label};
    if (!is_own) return;
  }
}

static bool wait_for_queue(int thread, const ck_futex *call, ck_wait *wait) {
  uint64_t words[TERM_SYNC_WORDS];
  if (!term_may_wait_for_queue(call->operation, call->expected)) return false;
  if (!read_words(call->word - TERM_SYNC_BEFORE, words, TERM_SYNC_WORDS)) return false;
  uint64_t queue = term_sync_queue(words, call->word, thread);
  if (queue != 0) find_busy_queue(thread, queue, wait);
  return wait->kind == TERM_WAIT_QUEUE;
}

static bool wait_for_group(const ck_futex *call, term_wait function, ck_wait *wait) {
  uint64_t words[TERM_GROUP_WORDS], group = call->word - TERM_GROUP_BEFORE;
  if (!term_may_wait_for_group(call->operation) || !read_words(group, words, TERM_GROUP_WORDS)) return false;
  if (!term_is_group(words, call->expected)) return false;
  *wait = (ck_wait){function == TERM_WAIT_WORK_ITEM ? function : TERM_WAIT_GROUP, group, 0, 0};
  return true;
}

bool ck_dispatch_wait(int thread, const ck_futex *call, term_wait function, ck_wait *wait) {
  return wait_for_queue(thread, call, wait) || wait_for_group(call, function, wait);
}

uint64_t ck_dispatch_semaphore(uint64_t semaphore) {
  uint64_t words[TERM_SEMAPHORE_WORDS], object = semaphore - TERM_SEMAPHORE_BEFORE;
  return read_words(object, words, TERM_SEMAPHORE_WORDS) && term_is_dispatch_semaphore(words) ? object : 0;
}
