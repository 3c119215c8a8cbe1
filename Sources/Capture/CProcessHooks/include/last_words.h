#pragma once
// Keeps the text that runtimes print to stderr just before they end the program, for the report.

#include <stddef.h>
#include <stdint.h>

#include "words_max.h"

#pragma GCC visibility push(hidden)

/// The text that thread `tid` printed from a fatal message's first words on, up to CPH_WORDS_MAX bytes; its
/// length is returned, 0 if there is none. Those of turn `old` are of an earlier death. Async-signal-safe: the text
/// stays where it is.
size_t cph_last_words(int tid, uint32_t old, const char **text);

/// Call this when the signal that the words lead to has come. It ends the turn of the present words: the next words, of
/// any thread, begin a new one. Returns the turn that ended, 0 if there were no words. Async-signal-safe.
uint32_t cph_last_words_end_turn(void);

#pragma GCC visibility pop
