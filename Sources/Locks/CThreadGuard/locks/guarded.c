// The lock functions for Swift code. Plain memory only.

#include "guarded.h"

#include "ground/engine_lock.h"
#include "ground/state.h"
#include "locks/held.h"
#include "locks/records.h"

bool ctg_lock_is_held(const void *address) {
  struct ctg_thread_state *self = ctg_thread_self;
  return self && ctg_held_find(self, (uintptr_t)address);
}

void ctg_name_lock(const void *lock, const char *name) {
  if (!ctg_has_started) return;
  ctg_busy++;
  ctg_engine_lock();
  ctg_record_name((uintptr_t)lock, CTG_MUTEX, name);
  ctg_engine_unlock();
  ctg_busy--;
}

void threadguard_name_lock(const void *lock, const char *name) { ctg_name_lock(lock, name); }

#ifdef THREADGUARD

int ctg_holds_lock(const void *address) {
  const struct ctg_thread_state *self = ctg_self();
  if (!self) return -1;
  if (ctg_lock_is_held(address)) return 1;
  return self->depth < CTG_HELD_MAX && self->lost == 0 ? 0 : -1;
}

#endif
