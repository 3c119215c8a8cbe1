// The code that the interposed enqueuing functions need. CThreadGuard has it only in debug builds.

#ifndef THREADGUARD
#define THREADGUARD
#include "current/frames.c"
#endif
