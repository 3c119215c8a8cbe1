// Values of cookies and of a Digest: those of a session, what Foundation shows of a cookie, and a hash. Calls nothing
// but the rest of this folder: async-signal-safe.
#include "secret_scan.h"

enum { NEAR = 256, LONGEST = 512, LONG_ENOUGH = 16, LONG_ENOUGH_IN_COOKIE = 6, WORD_MIN = 6 };

// "session", "laravel_session", "appSession", "sess"
bool csec_is_session(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const names[] = {"session", "sess", NULL};
  char last = to > from ? m->text[to - 1] | 0x20 : 0;
  if (last != 'n' && last != 's') return false;
  size_t start = to;
  while (start > from && to - start < sizeof "session" - 1) {
    char c = m->text[start - 1];
    if (!csec_is_token_letter(c) || csec_is_number(c)) break;
    start--;
    if (c >= 'A' && c <= 'Z' && start > from && m->text[start - 1] >= 'a') break;
  }
  char before = start > from ? m->text[start - 1] : 0;
  bool is_in_word =
      csec_is_token_letter(before) && !csec_is_number(before) && (m->text[start] | 0x20) == m->text[start];
  return !is_in_word && csec_is_word_of(m, start, to, names);
}

bool csec_is_cookie(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const names[] = {"httpcookie", "nshttpcookie", NULL};
  return to - from >= sizeof "httpcookie" - 1 && csec_is_word_of(m, from, to, names);
}

bool csec_is_value_of_cookie(const struct csec_masking *m) {
  return m->cookie_end > 0 && m->key_start - m->cookie_end <= NEAR
         && csec_is_word(m, m->key_start, m->key_end, "value");
}

static bool is_in_value(char c) {
  return csec_is_key(c) || c == '%' || c == '+' || c == '/' || c == '~' || c == '|' || c == '!' || c == '*';
}

// Digits and letters, and no words: as a session has them, and not "checkout-2".
static bool is_identity(const struct csec_masking *m, size_t from, size_t to) {
  size_t digits = 0, letters = 0, small = 0;
  bool is_word = false;
  for (size_t i = from; i < to; i++) {
    char c = m->text[i];
    bool is_small = c >= 'a' && c <= 'z';
    digits += csec_is_number(c);
    letters += is_small || (c >= 'A' && c <= 'Z');
    is_word = is_small && (c > 'f' || (small > 0 && is_word));
    small = is_small ? small + 1 : 0;
    if (small >= WORD_MIN && is_word) return false;
  }
  return digits > 1 && letters > 0;
}

bool csec_is_session_id(const struct csec_masking *m, size_t from, size_t to) {
  enum { SHORTEST = 8 };
  return csec_is_random(m->text, from, to, SHORTEST) && is_identity(m, from, to);
}

size_t csec_read_session(struct csec_masking *m, size_t i) {
  if (!csec_is_session(m, m->key_start, m->key_end) && !csec_is_value_of_session(m)) return i;
  size_t from = i, before = m->key_start;
  while (csec_is_blank(csec_at(m, from)) && from < i + 4) from++;
  while (csec_at(m, from) == '\\' && from < i + 8) from++;
  if (csec_is_quote(csec_at(m, from))) from++;
  size_t end = from;
  while (end < m->size && end < from + LONGEST && is_in_value(m->text[end])) end++;
  while (csec_at(m, end) == '=' && end < from + LONGEST) end++;
  if (!csec_can_follow(csec_at(m, end))) return i;
  while (before > 0 && csec_is_blank(m->text[before - 1]) && m->key_start - before < 4) before--;
  bool is_in_cookie = (before > 0 && m->text[before - 1] == ';') || csec_at(m, end) == ';';
  bool is_long = end - from >= (is_in_cookie ? LONG_ENOUGH_IN_COOKIE : LONG_ENOUGH);
  return is_long && is_identity(m, from, end) ? csec_mask(m, from, end) : i;
}

// Digest …, response="0123…"
size_t csec_read_digest(struct csec_masking *m, size_t i) {
  enum { MD5_DIGITS = 32, SHA256_DIGITS = 64 };
  if (!csec_is_word(m, m->key_start, m->key_end, "response")) return i;
  size_t from = i;
  while (csec_at(m, from) == '\\' && from < i + 4) from++;
  if (csec_is_quote(csec_at(m, from))) from++;
  size_t end = from;
  while (end < from + SHA256_DIGITS && csec_hexadecimal_digit(csec_at(m, end)) >= 0) end++;
  bool is_hash = end - from == MD5_DIGITS || end - from == SHA256_DIGITS;
  return is_hash && csec_can_follow(csec_at(m, end)) ? csec_mask(m, from, end) : i;
}
