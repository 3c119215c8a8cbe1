#pragma once
// What a filter of system calls (seccomp) does with each call, read from its rules.

#include <stdbool.h>

#include "CGround/deadly_calls.h"

#pragma GCC visibility push(hidden)

struct sock_fprog;

/// Finds the calls that the rules may answer by killing, for some arguments or for all. The rules are run for each
/// number of a call; both ways are gone where they look at an argument. Rules that run too long count as such an
/// answer. Returns false if the rules cannot be read; the kernel refuses those. Async-signal-safe: the one system call
/// is rt_sigprocmask.
bool cph_filter_kills(const struct sock_fprog *filter, cgr_call_set *calls);

/// Every call but the four of the strict mode. Async-signal-safe.
void cph_strict_mode_kills(cgr_call_set *calls);

#pragma GCC visibility pop
