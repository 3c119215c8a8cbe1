// Words that look random. Calls nothing: async-signal-safe.
#include "secret_letters.h"
#include "secret_tokens.h"

enum { LONG_MIN = 20, BASE64_MIN = 32, RUN_MIN = 8, CHANGES_MIN = 2, UUID_SIZE = 36 };

bool csec_is_id(const char *text, size_t from, size_t to) {
  bool is_uuid = to - from == UUID_SIZE;
  for (size_t i = from; i < to; i++) {
    size_t place = i - from;
    bool is_dash = is_uuid && (place == 8 || place == 13 || place == 18 || place == 23);
    if (is_dash ? text[i] != '-' : csec_hexadecimal_digit(text[i]) < 0) return false;
  }
  return true;
}

static bool is_base64(const char *text, size_t from, size_t to) {
  bool has_small = false, has_capital = false, has_digit = false;
  if (to - from < BASE64_MIN || text[from] == '/') return false;
  while (to > from && text[to - 1] == '=') to--;
  for (size_t i = from; i < to; i++) {
    char c = text[i];
    if (!csec_is_token_letter(c) && c != '+' && c != '/') return false;
    has_small |= c >= 'a' && c <= 'z';
    has_capital |= c >= 'A' && c <= 'Z';
    has_digit |= csec_is_number(c);
  }
  return has_small && has_capital && has_digit;
}

// "3f2a9c1d" has digits between letters. "release2026" has them at its end, as names have.
bool csec_is_random(const char *text, size_t from, size_t to, size_t least) {
  size_t run = 0, changes = 0;
  bool is_mixed = false;
  for (size_t i = from; i < to; i++) {
    if (!csec_is_token_letter(text[i])) {
      if (text[i] != '-' && text[i] != '_') return false;
      run = changes = 0;
      continue;
    }
    changes += run > 0 && csec_is_number(text[i]) != csec_is_number(text[i - 1]);
    is_mixed |= ++run >= RUN_MIN && changes >= CHANGES_MIN;
  }
  return to - from >= least && (is_mixed || (to - from == UUID_SIZE && csec_is_id(text, from, to)));
}

bool csec_is_long_random(const char *text, size_t from, size_t to) {
  return csec_is_random(text, from, to, LONG_MIN) || is_base64(text, from, to);
}
