// A user and a password with a sign between: "login bob / x1", "user/pass: bob/x1", "LOGIN=bob:x1". Calls nothing but
// the rest of this folder: async-signal-safe.
#include "secret_scan.h"

enum { WORD_MAX = 128, SHORTEST = 4 };

// Whether the last key is the second half of "user/pass".
static bool is_second_half(const struct csec_masking *m) {
  static const char *const passwords[] = {"pass", "passwd", "password", "pw", "pwd", NULL};
  static const char *const users[] = {"user", "username", "login", "name", NULL};
  size_t end = m->key_start;
  if (end == 0 || m->text[end - 1] != '/' || !csec_is_word_of(m, end, m->key_end, passwords)) return false;
  size_t start = --end;
  while (start > 0 && end - start < WORD_MAX && csec_is_key(m->text[start - 1])) start--;
  return csec_is_word_of(m, start, end, users);
}

static size_t skip_blanks(const struct csec_masking *m, size_t i) {
  size_t most = i + WORD_MAX;
  while (i < most && csec_is_blank(csec_at(m, i))) i++;
  return i;
}

bool csec_is_login(const struct csec_masking *m, size_t start, size_t end) {
  size_t word = end;
  while (word > start && m->text[word - 1] != '_') word--;
  return csec_is_word(m, word, end, "login");
}

bool csec_is_login_value(const struct csec_masking *m, size_t from, size_t to) {
  size_t end = from, most = from + WORD_MAX;
  while (end < to && end < most && m->text[end] != ':') end++;
  return end > from && end + 1 < to && m->text[end] == ':' && m->text[end + 1] != '/' && !csec_is_number(m->text[from]);
}

// Behind the sign of "LOGIN=bob:x1", "db_login = 'bob:x1'".
static size_t read_pair(struct csec_masking *m, size_t i) {
  if (i == 0 || m->text[i - 1] != '=' || !csec_is_login(m, m->key_start, m->key_end)) return i;
  size_t start = skip_blanks(m, i), from = csec_is_quote(csec_at(m, start)) ? start + 1 : start;
  size_t to = from > start ? csec_quoted_end(m, from, m->text[start], 0) : csec_plain_value_end(m, start);
  return csec_is_login_value(m, from, to) ? csec_mask(m, from, to) : i;
}

size_t csec_read_login(struct csec_masking *m, size_t i, bool has_sign) {
  char last = m->key_end > m->key_start ? m->text[m->key_end - 1] | 0x20 : 0;
  if (last != 'n' && last != 's' && last != 'd' && last != 'w') return i;
  size_t pair = has_sign ? read_pair(m, i) : i;
  if (pair > i) return pair;
  bool is_login = csec_is_word(m, m->key_start, m->key_end, "login");
  if (!is_login && !is_second_half(m)) return i;
  size_t user = skip_blanks(m, i), end = user;
  while (end < user + WORD_MAX && (csec_is_key(csec_at(m, end)) || csec_at(m, end) == '@')) end++;
  size_t slash = skip_blanks(m, end), from = skip_blanks(m, slash + 1);
  // Without the blanks it may be the path of a page.
  bool is_apart = slash > end && from > slash + 1;
  if (end == user || csec_at(m, slash) != '/' || (is_login && !is_apart)) return i;
  size_t word = csec_next(m, from, CSEC_SPACE), to = csec_without_clause_end(m, from, word);
  if (csec_is_masked(m, from)) return csec_mask(m, from, to);
  if (csec_looks_random(m, from, to, false)) return csec_mask(m, from, to);
  bool is_alone = has_sign && !is_login && csec_is_line_end(m, word) && to - from >= SHORTEST;
  return is_alone && !csec_is_setting(m, from, to) ? csec_mask(m, from, to) : i;
}
