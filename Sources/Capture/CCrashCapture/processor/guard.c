// The innermost guard of each thread. Holds the memory only.

#include "processor/guard.h"

CK_OF_THREAD ck_guard *volatile ck_guard_current;
