#pragma once
// System calls of this package that a filter may refuse with SIGSYS, on threads that make no report. There the signal
// means an error, not a crash.

#include <stdint.h>

#include "CGround/unjumped.h"

#pragma GCC visibility push(hidden)

/// CGR_REFUSALS_EXPECTED while the calling thread makes system calls of ours. No flag: an overrun that writes over
/// thread-local variables must not hide a crash.
extern CGR_OF_THREAD volatile uint64_t cgr_refusals_expected;

#define CGR_REFUSALS_EXPECTED 0x6573756665724b43ull

/// How many of them the calling thread has met.
extern CGR_OF_THREAD volatile unsigned cgr_refusals_met;

/// Around system calls of ours; may be nested. Async-signal-safe.
#define CGR_REFUSALS_BEGIN(outer) ((outer) = cgr_refusals_expected, cgr_refusals_expected = CGR_REFUSALS_EXPECTED)
#define CGR_REFUSALS_END(outer) ((void)(cgr_refusals_expected = (outer)))

#pragma GCC visibility pop
