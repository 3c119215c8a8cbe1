// The same functions as in CThreadGuard, which has them in debug builds only.

#ifndef THREADGUARD
#define THREADGUARD
#include "interposed/swift_mutex.c"
#endif
