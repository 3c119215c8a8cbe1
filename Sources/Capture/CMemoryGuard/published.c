// What a crash report reads of the guard. Data only.

#include "published.h"

crv_memory_guard crashkit_memory_guard = {.version = CRV_MEMORY_GUARD_VERSION};
