#pragma once
// What runtimes print to stderr just before they end the program: kept as it goes by, for the report.

#include <stddef.h>

#include "words_max.h"

#pragma GCC visibility push(hidden)

/// The text that thread `tid` printed from a fatal message's first words on, up to CPH_WORDS_MAX bytes; its
/// length is returned, 0 where there is none. Async-signal-safe: the text stays where it is.
size_t cph_last_words(int tid, const char **text);

#pragma GCC visibility pop
