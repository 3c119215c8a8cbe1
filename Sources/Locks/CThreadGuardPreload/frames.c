// What the interposed functions that enqueue need: CThreadGuard has it in debug builds only.

#ifndef THREADGUARD
#define THREADGUARD
#include "current/frames.c"
#endif
