// Numbers of threads that are the same in every run. They follow the order of creation, from the kernel's ids, and not
// the order in which threads first lock. System calls only.

#include <stddef.h>

#include "ground/engine_lock.h"
#include "ground/state.h"
#include "ground/thread_ids.h"
#include "noise/perturb_points.h"

#define WAITING_MAX 1024u

// Threads that have a number and have not come for it.
static struct waiting {
  int thread;
  uint32_t number;
} waiting[WAITING_MAX];
static uint32_t waiting_count, last_number;
static int last_thread;

static void insert(int thread) {
  uint32_t at = waiting_count++;
  for (; at > 0 && waiting[at - 1].number == 0 && waiting[at - 1].thread > thread; --at) waiting[at] = waiting[at - 1];
  waiting[at] = (struct waiting){.thread = thread};
}

static void insert_new(int thread, void *unused) {
  (void)unused;
  if (thread > last_thread && waiting_count < WAITING_MAX) insert(thread);
}

// All that are newer than the last one, oldest first. Those that there is no place for get theirs as they come.
static void number_new(void) {
  uint32_t first = waiting_count;
  ctg_thread_ids_visit(insert_new, NULL);
  for (uint32_t i = first; i < waiting_count; ++i) {
    waiting[i].number = ++last_number;
    last_thread = waiting[i].thread;
  }
}

static uint32_t take(int thread) {
  for (uint32_t i = 0; i < waiting_count; ++i) {
    if (waiting[i].thread != thread) continue;
    uint32_t number = waiting[i].number;
    waiting[i] = waiting[--waiting_count];
    return number;
  }
  return 0;
}

uint32_t ctg_thread_number(void) {
  int thread = (int)cgr_syscall0(SYS_gettid);
  ctg_busy++;
  ctg_engine_lock();
  uint32_t number = take(thread);
  if (!number) {
    number_new();
    number = take(thread);
  }
  if (!number) number = ++last_number;
  ctg_engine_unlock();
  ctg_busy--;
  return number;
}
