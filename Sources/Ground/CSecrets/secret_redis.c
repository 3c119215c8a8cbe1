// Passwords in commands of Redis, as MONITOR, clients and the protocol show them. Calls nothing but the rest of this
// folder: async-signal-safe.
#include "secret_scan.h"

static bool is_auth(const struct csec_masking *m) { return csec_is_word(m, m->key_start, m->key_end, "auth"); }

// Behind the text in quotes at `i`, which may be cut, and the text itself. False if none begins there.
static bool read_text(const struct csec_masking *m, size_t i, struct csec_secret_value *value, size_t *end) {
  size_t slashes = 0;
  while (slashes < 2 && csec_at(m, i + slashes) == '\\') slashes++;
  char quote = csec_at(m, i + slashes);
  if (!csec_is_quote(quote)) return false;
  size_t from = i + slashes + 1, to = csec_quoted_end(m, from, quote, slashes);
  *value = (struct csec_secret_value){from, to, .is_quoted = true};
  *end = to + slashes + 1 < m->size ? to + slashes + 1 : m->size;
  return true;
}

// Behind the blank or the comma between two words in quotes; `i` if there is none. A comma counts behind AUTH only.
static size_t separator_end(const struct csec_masking *m, size_t i, bool is_list) {
  if (is_list) return csec_at(m, i) == ',' ? csec_skip_blanks(m, i + 1) : i;
  return csec_at(m, i) == ' ' ? i + 1 : i;
}

// Whether the words end at `i`, or another one follows.
static bool ends_words(const struct csec_masking *m, size_t i, bool is_list) {
  if (is_list) return csec_at(m, csec_skip_blanks(m, i)) == ']';
  return i == m->size || csec_ends_line(m->text[i]) || csec_is_quote(csec_at(m, i + 1));
}

// `"AUTH" "x"`, `"auth" "user" "x"`, `"requirepass" "x"`, `['AUTH', 'user', 'x']`: the quote behind the key is at `i`.
size_t csec_read_quoted_words(struct csec_masking *m, size_t i) {
  size_t start = m->key_start, end = i + 1;
  bool takes_user = is_auth(m), is_list = takes_user && m->text[start] == 'A' && csec_at(m, end) == ',';
  size_t next = separator_end(m, end, is_list);
  if (next == end || start == 0 || m->text[start - 1] != m->text[i]) return i;
  if (!takes_user && csec_last_key_secrecy(m) < CSEC_SECRET_NAME) return i;
  struct csec_secret_value value, second;
  if (!read_text(m, next, &value, &end)) return i;
  next = separator_end(m, end, is_list);
  if (takes_user && next > end && read_text(m, next, &second, &end)) value = second;
  bool is_secret = takes_user ? ends_words(m, end, is_list) : csec_looks_random(m, value.from, value.to, false);
  return is_secret && value.to > value.from ? csec_mask(m, value.from, value.to) : i;
}

// "ACL SETUSER bob on >x ~*", `"acl" "setuser" "bob" ">x"`
void csec_read_rules(struct csec_masking *m, size_t i) {
  enum { RULES_MAX = 512 };
  size_t end = i;
  if (!csec_is_word(m, m->key_start, i, "setuser")) return;
  while (end < m->size && end < i + RULES_MAX && !csec_ends_line(m->text[end])) end++;
  m->rules_end = end;
}

size_t csec_read_rule(struct csec_masking *m, size_t i) {
  char before = i > 0 ? m->text[i - 1] : 0;
  if (!csec_is_blank(before) && !csec_is_quote(before)) return i;
  size_t end = i + 1;
  while (end < m->rules_end && (uint8_t)m->text[end] > ' ' && !(csec_is_quote(before) && m->text[end] == before)) end++;
  if (csec_is_blank(before) && end > i + 1 && csec_is_quote(m->text[end - 1])) end--;
  bool is_secret = end > i + 1 && m->text[i + 1] != '>' && !csec_is_masked(m, i + 1);
  return is_secret ? csec_mask(m, i + 1, end) : i;
}

// { name: 'auth', args: ['x'] }
bool csec_is_value_of_auth(const struct csec_masking *m) {
  static const char *const words[] = {"args", "arguments", NULL};
  enum { NEAR = 64 };
  size_t name = m->named_at;
  if (!m->has_name || m->key_start - name > NEAR || !csec_is_word_of(m, m->key_start, m->key_end, words)) return false;
  return csec_begins_in_either_case(m->text, m->size, name, "auth") && csec_is_quote(csec_at(m, name + 4));
}

// Behind "$13" and the line ends around it at `i`, with where the text behind it ends; 0 if it is another text.
static size_t bulk_start(const struct csec_masking *m, size_t i, size_t *to) {
  enum { DIGITS_MAX = 4 };
  size_t start = csec_next_shown_line(m, i), end = start + 1, size = 0;
  if (start == i || csec_at(m, start) != '$') return 0;
  for (; end < start + 1 + DIGITS_MAX && csec_is_number(csec_at(m, end)); end++)
    size = size * 10 + (size_t)(m->text[end] - '0');
  size_t bulk = csec_next_shown_line(m, end);
  if (bulk == end) return 0;
  *to = size < m->size - bulk ? bulk + size : m->size;
  return bulk;
}

// At the line end behind AUTH: "AUTH\r\n$1\r\nx", "AUTH\r\n$7\r\ndefault\r\n$1\r\nx".
size_t csec_read_bulk(struct csec_masking *m, size_t i) {
  enum { SIZE = 4 };
  size_t start = i - SIZE, to = 0, next = 0;
  if (m->key_end != i || i < m->key_start + SIZE || !csec_is_word(m, start, i, "auth")) return i;
  // "\\nAUTH" is one word.
  if (start > m->key_start && (m->text[start - 1] != 'n' || start < 2 || m->text[start - 2] != '\\')) return i;
  size_t from = bulk_start(m, i, &to);
  if (from == 0) return i;
  size_t second = bulk_start(m, to, &next);
  if (second > 0) {
    from = second;
    to = next;
  }
  return to > from && !csec_is_masked(m, from) ? csec_mask(m, from, to) : i;
}
