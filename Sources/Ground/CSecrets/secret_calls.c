// Values in the parentheses of enumerations and calls: `.token("x")`. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "CGround/memory.h"
#include "secret_scan.h"

// Calls that take the name of a secret, and not the secret: "getSecret(", "has_token(".
static bool takes_name(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const verbs[] = {"get",  "load",   "find",   "fetch",  "read",   "has", "require",
                                      "need", "lookup", "delete", "remove", "create", "new", NULL};
  for (const char *const *verb = verbs; *verb; verb++) {
    size_t i = 0;
    while ((*verb)[i] && from + i < to && (m->text[from + i] | 0x20) == (*verb)[i]) i++;
    char next = csec_at(m, from + i);
    if (!(*verb)[i] && from + i < to && (next == '_' || (next >= 'A' && next <= 'Z'))) return true;
  }
  return false;
}

size_t csec_value_label_end(const struct csec_masking *m, size_t i) {
  static const char *const labels[] = {"value",  "rawvalue", "wrappedvalue", "wrapped",
                                       "string", "storage",  "raw",          NULL};
  enum { LABEL_MAX = 16 };
  size_t start = csec_at(m, i) == '_' ? i + 1 : i, end = start;
  while (end < start + LABEL_MAX && csec_is_token_letter(csec_at(m, end))) end++;
  if (csec_at(m, end) != ':' || !csec_is_word_of(m, start, end, labels)) return i;
  return csec_skip_blanks(m, end + 1);
}

// Whether a text in quotes, perhaps in an optional, begins at `i`.
static bool may_begin_text(const struct csec_masking *m, size_t i) {
  static const char *const optionals[] = {"Optional(", "Swift.Optional<"};
  while (csec_at(m, i) == '\\') i++;
  if (csec_is_quote(csec_at(m, i + (csec_at(m, i) == '#')))) return true;
  for (size_t k = 0; k < sizeof optionals / sizeof optionals[0]; k++)
    if (csec_begins(m->text, m->size, i, optionals[k])) return true;
  return false;
}

// BasicAuth("user", "x"), whose name ends at '(': the texts are a user and a password.
static bool takes_user(const struct csec_masking *m, size_t i) {
  static const char *const names[] = {"basicauth", "digestauth", NULL};
  enum { GROUP_MAX = 512 };
  for (const char *const *name = names; *name; name++) {
    size_t size = cgr_length(*name);
    bool is_here = i >= m->key_start + size && csec_is_word(m, i - size, i, *name);
    if (is_here) return csec_group_at(m, i, GROUP_MAX).texts == 2;
  }
  return false;
}

// crypt('x', gen_salt('bf')): the first text is the password.
static bool takes_password(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const names[] = {"crypt", "bcrypt", "scrypt", NULL};
  return to > from && (m->text[to - 1] | 0x20) == 't' && csec_is_word_of(m, from, to, names);
}

size_t csec_read_call(struct csec_masking *m, size_t i) {
  if (m->key_end != i || i == 0 || m->is_closed) return i;
  size_t from = m->key_end, text = i + 1;
  while (from > m->key_start && m->text[from - 1] != '.') from--;
  if (csec_is_cookie(m, from, i)) m->cookie_end = i;
  text = csec_value_label_end(m, text);
  if (!may_begin_text(m, text)) return i;
  if (takes_user(m, i)) {
    size_t end = csec_group_at(m, i, CSEC_SECRET_TEXT_MAX).end;
    return end > i + 1 ? csec_mask(m, i + 1, end - 1) : i;
  }
  enum csec_secrecy secrecy = from == i ? CSEC_NOT_SECRET : csec_key_secrecy(m->text + from, i - from);
  if (secrecy == CSEC_NOT_SECRET && (csec_is_pragma(m) || takes_password(m, from, i))) secrecy = CSEC_SECRET_NAME;
  if (secrecy == CSEC_NOT_SECRET || takes_name(m, from, i)) return i;
  struct csec_secret_value value = csec_secret_value_at(m, text, '=', secrecy);
  if (!value.is_quoted || value.from == value.to || csec_is_plain_value(m, &value, '=', secrecy)) return i;
  bool is_sure = secrecy >= CSEC_SECRET_NAME || secrecy == CSEC_SECRET_TOKEN;
  return is_sure || csec_looks_random(m, value.from, value.to, true) ? csec_mask(m, value.from, value.to) : i;
}
