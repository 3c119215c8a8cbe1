// The interposed wait for a thread's end. It remains a cancellation point: libc's own function, called once, decides.

#ifdef THREADGUARD

#include "findings/options.h"
#include "interposed/hooks.h"
#include "threads/watch_bell.h"
#include "waiting/ended_threads.h"

static void on_cancel(void *self) { ctg_wait_ends(self); }

// No thread can wait for one that holds nothing. But that it waits says that it posts nothing.
static bool counts(const struct ctg_thread_state *self) {
  return self->depth || ctg_options.semaphores || ctg_options.groups;
}

INTERPOSED int pthread_join(pthread_t thread, void **value) {
  struct ctg_thread_state *self = ctg_self();
  int result;
  if (self && counts(self)) {
    struct ctg_held wanted = ctg_place((uintptr_t)thread, CTG_THREAD, CTG_LOCK_IS_OPAQUE, OWN_FRAME);
    ctg_wait_begins(self, &wanted);
    ctg_watcher_needed();
    pthread_cleanup_push(on_cancel, self);
    result = ctg_real.join(thread, value);
    pthread_cleanup_pop(1);
  } else {
    result = ctg_real.join(thread, value);
  }
  if (self && result == 0) ctg_ending_joined((uintptr_t)thread);
  return result;
}

#endif
