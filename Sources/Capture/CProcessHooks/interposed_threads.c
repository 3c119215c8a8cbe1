// Interposed pthread_create and thrd_create.

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#include "CGround/barred_calls.h"
#include "CGround/memory.h"
#include "process_masks.h"
#include "process_threads.h"
#include "real_functions.h"

struct start {
  void *(*function)(void *);
  thrd_start_t c11_function;  // of thrd_create
  void *argument;
  uint64_t shown_as_blocked;
  bool is_unfiltered;  // as the creator is
};

// On their way to the new thread; from malloc only where all are. A free there would be the thread's first call of the
// allocator, and would give it an arena that the program's own thread may never have wanted.
#define STARTS_KEPT 64
static struct {
  _Atomic bool taken;
  struct start start;
} starts[STARTS_KEPT];

static struct start *take_start(void) {
  for (int i = 0; i < STARTS_KEPT; ++i)
    if (!atomic_exchange_explicit(&starts[i].taken, true, memory_order_acquire)) return &starts[i].start;
  return malloc(sizeof(struct start));
}

static void give_back_start(struct start *start) {
  for (int i = 0; i < STARTS_KEPT; ++i) {
    if (start != &starts[i].start) continue;
    atomic_store_explicit(&starts[i].taken, false, memory_order_release);
    return;
  }
  free(start);
}

// What the new thread's mask is to look like. One that was set for it with the attributes goes before the creator's.
static void inherit_mask(struct start *start, const pthread_attr_t *attributes) {
  sigset_t own;
  bool has_own_mask = attributes && pthread_attr_getsigmask_np(attributes, &own) == 0;
  start->shown_as_blocked = has_own_mask ? *(uint64_t *)&own & cph_masks_kept_open() : cph_masks_to_inherit();
}

// Until begin_thread the thread does not know what it shows as blocked, and what comes would end the process. So all
// of that is blocked in earnest.
static cph_mask_in_earnest block_for_new_thread(const struct start *start) {
  return start->shown_as_blocked ? cph_masks_block_in_earnest() : (cph_mask_in_earnest){0};
}

// The copy is not made by memcpy: ThreadSanitizer would see that one, and not what orders it.
static void begin_thread(struct start *start, void *argument) {
  cph_current_thread_phase = CPH_THREAD_STARTING;
  cgr_copy(start, argument, sizeof *start);
  cgr_thread_is_unfiltered = start->is_unfiltered;
  give_back_start(argument);
  cph_thread_starts();
  cph_masks_inherit(start->shown_as_blocked);
  cph_current_thread_phase = CPH_THREAD_RUNNING;
}

// The frame between libc's start of a thread and the program's function in every stack.
__attribute__((noinline)) static void *cph_thread_main(void *argument) {
  struct start start;
  begin_thread(&start, argument);
  return start.function(start.argument);
}

__attribute__((noinline)) static int cph_c11_thread_main(void *argument) {
  struct start start;
  begin_thread(&start, argument);
  return start.c11_function(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attributes,
                                                          void *(*function)(void *), void *restrict argument) {
  cph_real_functions_find();
  if (!cph_threads_are_observed()) return cph_real_pthread_create(thread, attributes, function, argument);
  cph_thread_seen();
  struct start *start = take_start();
  if (!start) return EAGAIN;
  start->function = function;
  start->argument = argument;
  start->is_unfiltered = cgr_thread_is_unfiltered;
  inherit_mask(start, attributes);
  cph_mask_in_earnest before = block_for_new_thread(start);
  int result = cph_real_pthread_create(thread, attributes, cph_thread_main, start);
  cph_masks_open_again(before);
  if (result != 0) give_back_start(start);
  return result;
}

__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
  cph_real_functions_find();
  if (!cph_threads_are_observed()) return cph_real_thrd_create(thread, function, argument);
  cph_thread_seen();
  struct start *start = take_start();
  if (!start) return thrd_nomem;
  start->c11_function = function;
  start->argument = argument;
  start->is_unfiltered = cgr_thread_is_unfiltered;
  inherit_mask(start, NULL);
  cph_mask_in_earnest before = block_for_new_thread(start);
  int result = cph_real_thrd_create(thread, cph_c11_thread_main, start);
  cph_masks_open_again(before);
  if (result != thrd_success) give_back_start(start);
  return result;
}
