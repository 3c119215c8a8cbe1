// The innermost guard of each thread. Holds the memory only.

#include "processor/guard.h"

CGR_OF_THREAD ck_guard *volatile ck_guard_current;
