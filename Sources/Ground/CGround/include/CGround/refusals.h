#pragma once
// System calls of ours that a filter may refuse with SIGSYS, on threads that make no report: there the signal stands for
// an error, and not for a crash.

#include <stdint.h>

#include "CGround/unjumped.h"

#pragma GCC visibility push(hidden)

/// CK_REFUSALS_EXPECTED while the calling thread makes system calls of ours. No flag: an overrun that writes over
/// thread-local variables must not hide a crash.
extern CK_OF_THREAD volatile uint64_t ck_refusals_expected;

#define CK_REFUSALS_EXPECTED 0x6573756665724b43ull

/// Around system calls of ours; may be nested. Async-signal-safe.
#define CK_REFUSALS_BEGIN(outer) ((outer) = ck_refusals_expected, ck_refusals_expected = CK_REFUSALS_EXPECTED)
#define CK_REFUSALS_END(outer) ((void)(ck_refusals_expected = (outer)))

#pragma GCC visibility pop
