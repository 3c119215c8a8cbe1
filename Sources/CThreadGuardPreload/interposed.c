// The interposed functions, which an optimised CThreadGuard leaves out.

#ifndef THREADGUARD
#define THREADGUARD
#include "hooks_mutex.c"
#endif
