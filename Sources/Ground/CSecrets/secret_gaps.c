// Characters between words that are invisible or look like a blank. Calls nothing: async-signal-safe.
#include "secret_gaps.h"
#include "secret_letters.h"

enum { SEQUENCE_MAX = 32, BACKSLASHES_MAX = 4, DIGITS = 4, GAPS_MAX = 4 };

static char at(const char *text, size_t size, size_t i) { return i < size ? text[i] : 0; }

// The place behind "[1;31m" or "(B", which follows the escape character; 0 if neither stands there.
static size_t sequence_end(const char *text, size_t size, size_t i) {
  // tput chooses the letters too when it resets the colours.
  bool chooses = at(text, size, i) == '(' && (at(text, size, i + 1) == 'B' || at(text, size, i + 1) == '0');
  if (chooses) return i + 2;
  if (at(text, size, i) != '[') return 0;
  size_t end = i + 1;
  while (end < i + SEQUENCE_MAX && at(text, size, end) >= ' ' && at(text, size, end) < '@') end++;
  char last = at(text, size, end);
  return last >= '@' && last <= '~' ? end + 1 : 0;
}

static enum csec_gap gap_of(uint32_t character) {
  switch (character) {
    case 0xa0:    // no-break
    case 0x2007:  // as wide as a digit
    case 0x202f:  // narrow no-break
    case 0x3000: return CSEC_GAP_BLANK;
    case 0xad:    // soft hyphen
    case 0x2060:  // word joiner
    case 0xfeff: return CSEC_GAP_INVISIBLE;
    default: break;
  }
  if (character >= 0x200b && character <= 0x200f) return CSEC_GAP_INVISIBLE;
  return character >= 0x2000 && character <= 0x200a ? CSEC_GAP_BLANK : CSEC_NO_GAP;
}

static bool goes_on(char c) { return ((uint8_t)c & 0xc0) == 0x80; }

// A character beyond ASCII, in UTF-8.
static enum csec_gap character_gap(const char *text, size_t size, size_t i, size_t *length) {
  uint8_t first = (uint8_t)text[i];
  char second = at(text, size, i + 1), third = at(text, size, i + 2);
  if (first == 0xc2 && goes_on(second)) {
    *length = 2;
    return gap_of((uint8_t)second);
  }
  if (first < 0xe2 || !goes_on(second) || !goes_on(third)) return CSEC_NO_GAP;
  *length = 3;
  return gap_of((uint32_t)(first & 0xf) << 12 | (uint32_t)(second & 0x3f) << 6 | (uint32_t)(third & 0x3f));
}

// The same as JSON and programs write it: "\u00a0", "\u001b[36m", "\x1b[0m", "\033[0m", "\e[0m".
static enum csec_gap escaped_gap(const char *text, size_t size, size_t i, size_t *length) {
  size_t end = i;
  while (end < i + BACKSLASHES_MAX && at(text, size, end) == '\\') end++;
  char kind = at(text, size, end++);
  uint32_t character = 0;
  if (kind == 'u') {
    for (int k = 0; k < DIGITS; k++) {
      int digit = csec_hexadecimal_digit(at(text, size, end++));
      if (digit < 0) return CSEC_NO_GAP;
      character = character << 4 | (uint32_t)digit;
    }
  } else if (kind == 'x' && at(text, size, end) == '1' && (at(text, size, end + 1) | 0x20) == 'b') {
    character = 0x1b;
    end += 2;
  } else if (kind == '0' && at(text, size, end) == '3' && at(text, size, end + 1) == '3') {
    character = 0x1b;
    end += 2;
  } else if (kind == 'e') {
    character = 0x1b;
  }
  size_t behind = character == 0x1b ? sequence_end(text, size, end) : 0;
  *length = (behind > 0 ? behind : end) - i;
  return behind > 0 ? CSEC_GAP_INVISIBLE : gap_of(character);
}

enum csec_gap csec_any_gap(const char *text, size_t size, size_t i, size_t *length) {
  if (text[i] == '\\') return escaped_gap(text, size, i, length);
  if ((uint8_t)text[i] >= 0x80) return character_gap(text, size, i, length);
  size_t end = sequence_end(text, size, i + 1);
  *length = end - i;
  return end > 0 ? CSEC_GAP_INVISIBLE : CSEC_NO_GAP;
}

size_t csec_gap_before(const char *text, size_t i) {
  enum { GAP_MAX = SEQUENCE_MAX + 12, GAP_MIN = 2 };
  if (i < GAP_MIN || !((uint8_t)text[i - 1] >= 0x80 || csec_is_token_letter(text[i - 1]))) return 0;
  for (size_t size = GAP_MIN, length; size <= i && size <= GAP_MAX; size++) {
    if (csec_gap_at(text, i, i - size, &length) != CSEC_NO_GAP && length == size) return size;
    if (csec_is_blank(text[i - size])) return 0;
  }
  return 0;
}

size_t csec_before_gaps(const char *text, size_t i) {
  size_t size;
  for (int k = 0; k < GAPS_MAX && (size = csec_gap_before(text, i)) > 0; k++) i -= size;
  return i;
}

size_t csec_behind_gaps(const char *text, size_t size, size_t i) {
  size_t length;
  for (int k = 0; k < GAPS_MAX && csec_gap_at(text, size, i, &length) != CSEC_NO_GAP; k++) i += length;
  return i;
}

size_t csec_written_quote(const char *text, size_t size, size_t i) {
  if (csec_begins(text, size, i, "&quot;")) return sizeof "&quot;" - 1;
  if (csec_begins(text, size, i, "&#34;")) return sizeof "&#34;" - 1;
  size_t end = i;
  while (end < i + BACKSLASHES_MAX && at(text, size, end) == '\\') end++;
  return end > i && csec_begins(text, size, end, "u0022") ? end + sizeof "u0022" - 1 - i : 0;
}
