// The words that every part of ThreadGuard reads. Plain memory only.

#include "ground/state.h"

#include "ground/engine_lock.h"
#include "ground/slow_path.h"

__thread int ctg_busy;
bool ctg_has_started;
_Atomic uint32_t ctg_engine_word;
_Atomic uint32_t ctg_slow_path = CTG_SLOW_LOCKS_ARE_UNKNOWN;
