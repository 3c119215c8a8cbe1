// The interposed slow path of Swift's Mutex. Programs inline the rest: they take a free Mutex without a call, so
// ThreadGuard only sees waits. The word of the Mutex names the thread that holds it.

#ifdef THREADGUARD

#include "interposed/hooks.h"
#include "threads/watch_bell.h"

#define DECLARED(name, text) extern ctg_##name name __asm__(text);
#define SYNCHRONIZATION DECLARED
#include "interposed_by_threadguard.def"

INTERPOSED CTG_SWIFT_FUNCTION void swift_mutex_lock_slow(uint32_t thread, CTG_SWIFT_SELF void *word) {
  ctg_swift_mutex_lock_slow *real = ctg_real_swift_mutex_lock_slow();
  struct ctg_thread_state *self = ctg_self();
  if (!self) {
    real(thread, word);
    return;
  }
  struct ctg_held wanted = ctg_place((uintptr_t)word, CTG_SWIFT_MUTEX, CTG_LOCK_IS_OPAQUE, OWN_FRAME);
  ctg_wait_begins(self, &wanted);
  // No circle is without a thread that waits so with a lock or a queue held; a queue's waiters watch themselves.
  if (self->depth) ctg_watcher_needed();
  real(thread, word);
  ctg_wait_ends(self);
}

#endif
