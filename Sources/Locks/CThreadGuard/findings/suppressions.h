#pragma once
// Violations that are not reported. Each line has one rule:
//
//   [KIND[/CODE] ]SUBJECT:PATTERN
//
// with SUBJECT one of function, image, lock and file; `*` in PATTERN stands for any text, `?` for any character. Empty
// lines and lines that begin with `#` are ignored.

#include <stdbool.h>

#include "CReportParts/images.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// Adds the rules of a regular file. What is not understood is said on standard error with its line. 0, or an errno.
/// Safe from any thread; ordinary system calls, no allocation.
int ctg_suppressions_read(const char *path);

/// Whether any rule may apply to violations of a kind.
bool ctg_suppressions_any(enum ctg_kind kind);

/// The first rule that matches a violation, from 0, or -1. For one thread at a time.
int ctg_suppressions_match(const struct ctg_violation *violation, const crp_images *images);

/// Counts that a rule matched.
void ctg_suppressions_count(int rule);

/// Says on standard error how often each rule matched, and which did not.
void ctg_suppressions_say(void);

#pragma GCC visibility pop
