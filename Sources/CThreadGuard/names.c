// Names that the program gives to locks.

#include "engine_lock.h"
#include "guarded.h"
#include "records.h"
#include "state.h"

void ctg_name_lock(const void *lock, const char *name) {
  if (!ctg_has_started) return;
  ctg_busy++;
  ctg_engine_lock();
  ctg_record_name((uintptr_t)lock, CTG_MUTEX, name);
  ctg_engine_unlock();
  ctg_busy--;
}

void threadguard_name_lock(const void *lock, const char *name) { ctg_name_lock(lock, name); }
