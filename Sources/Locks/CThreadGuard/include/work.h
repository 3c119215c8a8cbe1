#pragma once
// The stack that enqueued the work of a thread. The interposed functions of libdispatch that enqueue work keep it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

enum { CTG_WORK_FRAMES = 16 };

/// One piece of work, on its way through libdispatch.
struct ctg_work {
  void (*function)(void *);
  void *context;
  /// A block instead of a function and its context, which is released after its only run.
  void *block;
  /// The group that it was handed over with; or NULL.
  void *group;
  /// What enqueued it, by frame pointers; innermost first.
  uintptr_t frames[CTG_WORK_FRAMES];
  uint32_t frame_count;
  pid_t thread;
  char thread_name[16];
  /// On whose account the work is; 0 for no account.
  uint64_t account;
};

/// What the calling thread runs; null where it was not enqueued through libdispatch, or not by a function that is
/// interposed. It lives as long as the work runs.
const struct ctg_work *ctg_current_work(void);

/// Copies the stack that enqueued what the calling thread runs; returns how many addresses there are.
size_t ctg_enqueue_stack(uintptr_t *addresses, size_t capacity, pid_t *thread, char thread_name[16]);

/// dispatch_sync_f, seen by ThreadGuard also where libdispatch is linked statically.
void ctg_guarded_sync(void *queue, void *context, void (*work)(void *context));

#pragma GCC visibility pop
