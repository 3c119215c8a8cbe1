// Asks the stack of held locks, where it is linked.

#include "lock_state.h"

#ifdef THREADGUARD

#include <stdbool.h>

extern bool ctg_lock_is_held(const void *address) __attribute__((weak));

int ctg_holds_lock(const void *address) { return ctg_lock_is_held ? ctg_lock_is_held(address) : -1; }

#endif
