#pragma once
// The guard of allocations. It has no functions to call: it interposes libc's (see interposed.c). Off unless
// CRASHKIT_OPTIONS has guard=yes or guard=N.
