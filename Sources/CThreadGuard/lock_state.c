// Asks the stack of held locks.

#include "lock_state.h"

#ifdef THREADGUARD

#include "guarded.h"
#include "thread_state.h"

int ctg_holds_lock(const void *address) {
  const struct ctg_thread_state *self = ctg_self();
  if (!self) return -1;
  if (ctg_lock_is_held(address)) return 1;
  return self->depth < CTG_HELD_MAX && self->lost == 0 ? 0 : -1;
}

#endif
