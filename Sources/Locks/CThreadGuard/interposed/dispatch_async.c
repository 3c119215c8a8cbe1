// libdispatch's functions that enqueue work, interposed so that a violation can say where its work came from. Ordinary
// libc; each allocates one piece of memory, which is freed when the work has run, and goes on to libdispatch.
//
// They are weak: with a static standard library libdispatch's own functions replace them, and ThreadGuard does not see
// the work.

#include "accounts.h"
#include "work.h"

#ifdef THREADGUARD

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "current/frames.h"
#include "current_queue.h"
#include "interposed/hooks.h"
#include "misuse/task_jobs.h"
#include "noise/perturb_points.h"
#include "queues/groups.h"
#include "queues/queue_locks.h"

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

typedef void (*function)(void *);

// From <Block.h> and libdispatch's private headers: how a block begins, and the function of those that carry data of
// libdispatch's (a DispatchWorkItem), which only libdispatch can enqueue.
struct block {
  void *isa;
  int flags, reserved;
  function invoke;
};
extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));
extern const function _dispatch_block_special_invoke __attribute__((weak));

static _Thread_local INITIAL_EXEC const struct ctg_work *current;

const struct ctg_work *ctg_current_work(void) { return current; }

size_t ctg_enqueue_stack(uintptr_t *addresses, size_t capacity, pid_t *thread, char thread_name[16]) {
  const struct ctg_work *work = current;
  if (!work) return 0;
  size_t count = work->frame_count < capacity ? work->frame_count : capacity;
  memcpy(addresses, work->frames, count * sizeof *addresses);
  memcpy(thread_name, work->thread_name, sizeof work->thread_name);
  *thread = work->thread;
  return count;
}

// The frame between libdispatch and the program's work in every stack.
__attribute__((noinline)) static void ctg_run_work(void *context) {
  struct ctg_work *work = context;
  const struct ctg_work *outer = current;
  current = work;
  uint64_t outer_account = ctg_account_of_work(work->account);
  ctg_boundary();
  ctg_task_jobs_change();
  void *queue = ctg_queue_work_begins(NULL), *group = ctg_group_work_begins(work->group, work->frames);
  if (work->block) {
    ((struct block *)work->block)->invoke(work->block);
    _Block_release(work->block);
  } else {
    work->function(work->context);
  }
  ctg_group_work_ends(group);
  ctg_queue_work_ends(queue);
  ctg_task_jobs_change();
  current = outer;
  ctg_account_of_work(outer_account);
  free(work);
}

static struct ctg_work *make_work(void *group, const void *frame) {
  struct ctg_work *work = malloc(sizeof *work);
  if (!work) return NULL;
  work->block = NULL;
  work->group = group;
  memset(work->frames, 0, 2 * sizeof work->frames[0]);
  work->frame_count = (uint32_t)ctg_frames_of_caller(frame, work->frames, CTG_WORK_FRAMES);
  work->thread = ctg_thread_id();
  work->thread_name[0] = 0;
  prctl(PR_GET_NAME, work->thread_name);
  work->account = ctg_current_account();
  return work;
}

static struct ctg_work *work_of_block(const void *block, void *group, const void *frame) {
  function special = &_dispatch_block_special_invoke ? _dispatch_block_special_invoke : NULL;
  if (!block || !special || ((const struct block *)block)->invoke == special) return NULL;
  struct ctg_work *work = make_work(group, frame);
  if (work) work->block = _Block_copy(block);
  return work;
}

static struct ctg_work *work_of_function(function function, void *context, void *group, const void *frame) {
  struct ctg_work *work = make_work(group, frame);
  if (!work) return NULL;
  work->function = function;
  work->context = context;
  return work;
}

// Each pair: a block, and a function with its context. `...` are the arguments before those; `of` is the group that the
// work belongs to.
#define ENQUEUE(name, of, PARAMETERS, ...)                                                                \
  INTERPOSED void name PARAMETERS(void *block) {                                                          \
    struct ctg_work *work = work_of_block(block, of, OWN_FRAME);                                          \
    if (work)                                                                                             \
      DISPATCH_REAL(name##_f)(__VA_ARGS__, work, ctg_run_work);                                           \
    else                                                                                                  \
      DISPATCH_REAL(name)(__VA_ARGS__, block);                                                            \
  }                                                                                                       \
  INTERPOSED void name##_f PARAMETERS(void *context, function function_) {                                \
    struct ctg_work *work = work_of_function(function_, context, of, OWN_FRAME);                          \
    DISPATCH_REAL(name##_f)(__VA_ARGS__, work ? (void *)work : context, work ? ctg_run_work : function_); \
  }

#define ONE(...) (void *queue, __VA_ARGS__)
#define GROUP(...) (void *group, void *queue, __VA_ARGS__)
#define AFTER(...) (uint64_t when, void *queue, __VA_ARGS__)

ENQUEUE(dispatch_async, NULL, ONE, queue)
ENQUEUE(dispatch_barrier_async, NULL, ONE, queue)
ENQUEUE(dispatch_group_async, group, GROUP, group, queue)
ENQUEUE(dispatch_group_notify, NULL, GROUP, group, queue)
ENQUEUE(dispatch_after, NULL, AFTER, when, queue)

#endif
