#pragma once
// What a filter of system calls (seccomp) does with each call, read from its rules.

#include <stdbool.h>

#include "CGround/barred_calls.h"

#pragma GCC visibility push(hidden)

struct sock_fprog;

/// Finds the calls that are not to be made: those that the rules may answer by killing, or by asking another process,
/// for some arguments or for all. The rules are run for each number of a call; both ways are gone where they look
/// at an argument. Returns false if the rules cannot be read. Async-signal-safe; the system calls are mmap, munmap and
/// rt_sigprocmask.
bool cph_filter_bars(const struct sock_fprog *filter, cgr_call_set *calls);

/// Every call but the four of the strict mode. Async-signal-safe.
void cph_strict_mode_bars(cgr_call_set *calls);

#pragma GCC visibility pop
