// Passwords in SQL: statements that hold one, and the keys of SQLCipher. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

enum { STATEMENT_MAX = 256, BLANKS_MAX = 16 };

static size_t skip_blanks(const struct csec_masking *m, size_t i) {
  size_t most = i + BLANKS_MAX;
  while (i < most && csec_is_blank(csec_at(m, i))) i++;
  return i;
}

// "ALTER ROLE", "create user", "set password": a password in quotes may follow.
void csec_read_statement(struct csec_masking *m, size_t i) {
  static const char *const verbs[] = {"alter", "create", "set", "grant", NULL};
  static const char *const nouns[] = {"user", "role", "login", "group", "server", "password", "secret", NULL};
  char first = m->text[m->key_start] | 0x20;
  if (first != 'a' && first != 'c' && first != 's' && first != 'g') return;
  if (i - m->key_start < 3 || !csec_is_word_of(m, m->key_start, i, verbs)) return;
  size_t start = skip_blanks(m, i), end = start;
  while (end < m->size && csec_is_token_letter(m->text[end]) && end < start + BLANKS_MAX) end++;
  if (csec_is_word_of(m, start, end, nouns)) m->statement_end = i + STATEMENT_MAX;
}

static bool is_loud(const struct csec_masking *m) {
  return csec_is_exactly(m->text + m->key_start, m->key_end - m->key_start, "PASSWORD");
}

// Behind `PASSWORD ` at a text: 'x', E'x', N'x', $$x$$. In small letters only within a statement.
bool csec_is_sql_text(const struct csec_masking *m, size_t i, struct csec_secret_value *value) {
  bool is_statement = i < m->statement_end;
  if (!is_statement && !is_loud(m)) return false;
  char c = csec_at(m, i) | 0x20, next = csec_at(m, i + 1);
  if (csec_at(m, i) == '$') {
    if (next != '$') return false;
    size_t end = i + 2;
    while (end < m->size && end < i + STATEMENT_MAX && m->text[end] != '$') end++;
    *value = (struct csec_secret_value){i + 2, end, .is_quoted = true};
    return csec_at(m, end) == '$';
  }
  if ((c == 'e' || c == 'n') && next == '\'') i++;
  char quote = csec_at(m, i);
  if (quote != '\'' && !(is_statement && quote == '"')) return false;
  *value = (struct csec_secret_value){i + 1, csec_quoted_end(m, i + 1, quote, 0), .is_quoted = true};
  return true;
}

// "PRAGMA key = 'x'", "PRAGMA main.rekey('x')"
bool csec_is_pragma(const struct csec_masking *m) {
  static const char *const names[] = {"key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", NULL};
  static const size_t size = sizeof "pragma" - 1;
  size_t start = m->key_end, end = m->key_start;
  if (start == 0 || (m->text[start - 1] | 0x20) != 'y') return false;
  while (start > m->key_start && m->text[start - 1] != '.') start--;
  if (!csec_is_word_of(m, start, m->key_end, names)) return false;
  while (end > 0 && m->key_start - end < BLANKS_MAX && csec_is_blank(m->text[end - 1])) end--;
  return end >= size && csec_is_word(m, end - size, end, "pragma");
}
