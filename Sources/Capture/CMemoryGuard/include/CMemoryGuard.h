#pragma once
// The guard of allocations, which has no functions of its own to call: it interposes libc's (see interposed.c). Off
// unless CRASHKIT_OPTIONS has guard=yes or guard=N.
