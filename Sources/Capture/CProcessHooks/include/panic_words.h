#pragma once
// Keeps the text that Rust's runtime prints when a thread panics, for the report.

#include <stddef.h>

#include "words_max.h"

#pragma GCC visibility push(hidden)

/// The text of the process's last panic, up to CPH_WORDS_MAX bytes, if it is not older than ten seconds: a program that
/// lived on for longer has caught it. Returns the text's length, 0 if there is none. Async-signal-safe: the text stays
/// where it is.
size_t cph_panic_words(const char **text);

#pragma GCC visibility pop
