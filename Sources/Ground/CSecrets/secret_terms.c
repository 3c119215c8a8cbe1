// Pairs in the forms of Erlang, Elixir, Clojure and PHP. Calls nothing but the rest of this folder: async-signal-safe.
#include "secret_scan.h"

// Whether a text in quotes or in "<<" begins at `i`.
static bool begins_text(const struct csec_masking *m, size_t i) {
  if (csec_begins(m->text, m->size, i, "<<")) i += 2;
  return csec_is_quote(csec_at(m, i));
}

// Whether the last key is <<"password">>, and `i` is behind its quote.
static bool is_binary(const struct csec_masking *m, size_t i) {
  return m->key_start >= 3 && i == m->key_end + 1 && csec_begins(m->text, m->size, m->key_start - 3, "<<\"")
         && csec_begins(m->text, m->size, m->key_end, "\">>");
}

bool csec_closes_binary(const struct csec_masking *m, size_t i) {
  return m->key_end > 0 && m->text[i] == '>' && (is_binary(m, i) || (i > 0 && is_binary(m, i - 1)));
}

// {password,"x"}, {:password, "x"}, {<<"password">>,<<"x">>}: at ',' behind the key.
bool csec_is_pair_of_terms(const struct csec_masking *m, size_t i) {
  size_t start = m->key_start, end = m->key_end;
  if (end > 0 && i == end + 3 && is_binary(m, end + 1)) {
    start -= 3;
    end += 3;
  }
  if (end != i || start == 0 || !begins_text(m, csec_skip_blanks(m, i + 1))) return false;
  if (m->text[start - 1] == ':') start--;
  return start > 0 && m->text[start - 1] == '{';
}

// {:password "x"}: at the blank behind the key.
bool csec_is_keyword(const struct csec_masking *m, size_t i) {
  size_t start = m->key_start;
  if (start < 2 || m->text[start - 1] != ':' || !csec_is_quote(csec_at(m, i + 1))) return false;
  char before = m->text[start - 2];
  return (uint8_t)before <= ' ' || before == '{' || before == '(' || before == '[' || before == ',';
}

// Behind "Foo":private or Foo:private at the ':' behind a key; `i` if it is another text.
static size_t visibility_end(const struct csec_masking *m, size_t i) {
  static const char *const words[] = {"private", "protected", NULL};
  enum { CLASS_MAX = 128 };
  size_t start = i + 1, end = start;
  while (end < m->size && end < i + CLASS_MAX && m->text[end] != ']' && !csec_ends_line(m->text[end])) {
    if (m->text[end] == ':') start = end + 1;
    end++;
  }
  return csec_at(m, end) == ']' && csec_is_word_of(m, start, end, words) ? end : i;
}

size_t csec_member_sign(const struct csec_masking *m, size_t i) {
  size_t start = m->key_start, colon = m->key_end;
  if (start > 0 && csec_is_quote(m->text[start - 1]) && csec_is_quote(csec_at(m, colon))) {
    start--;
    colon++;
  }
  if (colon != i || start == 0 || m->text[start - 1] != '[') return i;
  size_t end = visibility_end(m, i);
  if (end == i) return i;
  size_t sign = csec_skip_blanks(m, end + 1);
  return csec_begins(m->text, m->size, sign, "=>") ? sign : i;
}
