#pragma once
// Ends a process that releases memory wrongly.

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Notes why, for the crash report, prints a line on standard error as libc does, and ends the process by abort().
_Noreturn void cmg_stop(uint32_t why, const void *address);

#pragma GCC visibility pop
