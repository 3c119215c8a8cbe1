#pragma once
// The fingerprint of crashes of one build, before functions have names. Async-signal-safe.

#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

/// The rule's version, a hyphen and 16 hexadecimal digits.
#define CK_BUILD_FINGERPRINT_SIZE sizeof "b1-0123456789abcdef"

/// Writes `b1-` and the hash of the signal and of the places that count: the five innermost of the crashed thread in
/// the program's own image, each once, or of any image if none is there. Async-signal-safe.
void ck_build_fingerprint(const ck_report *report, char out[CK_BUILD_FINGERPRINT_SIZE]);

#pragma GCC visibility pop
