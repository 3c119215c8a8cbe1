// The table of a report's threads, and the index of each by its id. Memory only.

#include "CGround/memory.h"
#include "threads/threads.h"

#define PLACES (2 * CK_THREADS_MAX)

// The place of the thread, or the empty one where it would stand. Half of the places are empty.
static uint16_t *place_of(ck_threads *threads, int tid) {
  size_t i = (uint32_t)tid % PLACES;
  while (threads->places[i] != 0 && threads->entries[threads->places[i] - 1].tid != tid) i = (i + 1) % PLACES;
  return &threads->places[i];
}

void ck_threads_clear(ck_threads *threads) {
  size_t begun = threads->count < CK_THREADS_MAX ? threads->count + 1 : CK_THREADS_MAX;
  cgr_zero(threads->entries, begun * sizeof *threads->entries);
  cgr_zero(threads->places, sizeof threads->places);
  threads->count = threads->omitted = 0;
}

ck_thread *ck_thread_with_id(ck_threads *threads, int tid) {
  uint16_t place = *place_of(threads, tid);
  return place == 0 ? NULL : &threads->entries[place - 1];
}

ck_thread *ck_threads_append(ck_threads *threads, int tid) {
  if (threads->count == CK_THREADS_MAX) {
    ++threads->omitted;
    return NULL;
  }
  ck_thread *thread = &threads->entries[threads->count];
  uint16_t *place = place_of(threads, tid);
  thread->tid = tid;
  *place = (uint16_t)++threads->count;
  return thread;
}

void ck_threads_put_first(ck_threads *threads, size_t index) {
  uint16_t *first = place_of(threads, threads->entries[0].tid), *other = place_of(threads, threads->entries[index].tid);
  ck_thread thread = threads->entries[index];
  threads->entries[index] = threads->entries[0];
  threads->entries[0] = thread;
  *first = (uint16_t)(index + 1);
  *other = 1;
}
