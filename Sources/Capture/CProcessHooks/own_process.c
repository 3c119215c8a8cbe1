// The process to which the tables of this target belong. Async-signal-safe.

#include "own_process.h"

#include <stdatomic.h>

#include "CGround/own_ids.h"

static _Atomic long process;

void cph_own_process_note(void) { atomic_store(&process, cgr_process_id()); }

bool cph_is_own_process(void) { return atomic_load(&process) == cgr_process_id(); }
