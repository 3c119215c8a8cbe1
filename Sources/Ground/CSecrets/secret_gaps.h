#pragma once
// Colours of a terminal, no-break blanks and characters without width, which may stand in a key and around it.
// Async-signal-safe.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum csec_gap { CSEC_NO_GAP, CSEC_GAP_BLANK, CSEC_GAP_INVISIBLE };

/// The gap at `i` if one begins with this character. Call csec_gap_at instead.
enum csec_gap csec_any_gap(const char *text, size_t size, size_t i, size_t *length);

/// The gap at `i`, and its length in the text. Plain blanks are none.
static inline enum csec_gap csec_gap_at(const char *text, size_t size, size_t i, size_t *length) {
  if (i >= size) return CSEC_NO_GAP;
  char c = text[i];
  bool may_be = c == '\x1b' || c == '\\' || c == '\xc2' || c == '\xe2' || c == '\xe3' || c == '\xef';
  return may_be ? csec_any_gap(text, size, i, length) : CSEC_NO_GAP;
}

/// The length of the gap that ends before `i`; 0 if no gap ends there.
size_t csec_gap_before(const char *text, size_t i);

/// Where the colours and the like begin that end before `i`, and where those end that begin at `i`.
size_t csec_before_gaps(const char *text, size_t i);
size_t csec_behind_gaps(const char *text, size_t size, size_t i);

/// Whether "\\n", "\\r" or "\\t", as programs write the end of a line and a tab, stands before `i`.
static inline bool csec_follows_written_end(const char *text, size_t i) {
  return i > 1 && text[i - 2] == '\\' && (text[i - 1] == 'n' || text[i - 1] == 'r' || text[i - 1] == 't');
}

/// The size of a quote that is written as "\\u0022", "&quot;" or "&#34;"; 0 if there is none.
size_t csec_written_quote(const char *text, size_t size, size_t i);

#pragma GCC visibility pop
