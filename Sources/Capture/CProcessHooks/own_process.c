// The process to which the tables of this target belong. Async-signal-safe.

#include "own_process.h"

#include <stdatomic.h>

#include "CGround/own_ids.h"

static _Atomic long process;

void cph_own_process_note(void) { atomic_store(&process, cgr_process_id()); }

// Before install() no call is added to the program's.
bool cph_is_own_process(void) {
  long own = atomic_load(&process);
  return own != 0 && own == cgr_process_id();
}
