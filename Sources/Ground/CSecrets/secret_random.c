// Words that look random. Calls nothing: async-signal-safe.
#include "secret_letters.h"
#include "secret_tokens.h"

enum { RUN_MIN = 8, CHANGES_MIN = 2, UUID_SIZE = 36 };

bool csec_is_id(const char *text, size_t from, size_t to) {
  bool is_uuid = to - from == UUID_SIZE;
  for (size_t i = from; i < to; i++) {
    size_t place = i - from;
    bool is_dash = is_uuid && (place == 8 || place == 13 || place == 18 || place == 23);
    if (is_dash ? text[i] != '-' : csec_hexadecimal_digit(text[i]) < 0) return false;
  }
  return true;
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
