// Whether the value of a secret key is not a secret: prose, a setting, a number, a type. Calls nothing but the rest of
// this folder: async-signal-safe.
#include "secret_scan.h"

enum { SHORTEST_SPACED_VALUE = 4, RANDOM_LENGTH = 20, WORD_MAX = 16 };

// "init(password:salt:)"
static bool is_label(const struct csec_masking *m, size_t from, size_t to) {
  if (to > from + 1 && m->text[to - 1] == ')' && m->text[to - 2] == ':') return true;
  while (from < to && csec_can_follow(m->text[from])) from++;
  return from == to;
}

// "Optional<String>"
static bool is_type(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const names[] = {"optional", "swift.optional", NULL};
  size_t end = from;
  while (end < to && csec_is_key(m->text[end])) end++;
  return csec_at(m, end) == '<' && csec_is_word_of(m, from, end, names);
}

// "$1" and "?" of a prepared statement
static bool is_placeholder(const struct csec_masking *m, size_t from, size_t to) {
  char c = csec_at(m, from);
  if (c != '?' && c != '$') return false;
  size_t most = to - from > 3 ? from + 3 : to, end = c == '$' ? csec_digits_end(m, from + 1, most) : from + 1;
  if (c == '$' && end == from + 1) return false;
  while (end < to && csec_can_follow(m->text[end])) end++;
  return end == to;
}

// What says that there is no secret, or that it was masked before.
static bool is_nothing(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {"nil",   "null",  "none", "true", "false",      "undefined", "<nil",
                                      "<null", "<none", "yes",  "no",   "(sensitive", "(known",    NULL};
  if (is_placeholder(m, from, to)) return true;
  bool is_mask = csec_at(m, from) == '*' && csec_at(m, from + 1) == '*' && csec_at(m, from + 2) == '*';
  if (is_mask && (from + 3 == m->size || csec_can_follow(m->text[from + 3]))) return true;
  if (is_type(m, from, to)) return true;
  char first = csec_at(m, from), second = csec_at(m, from + 1);
  if (to == from + 2 && ((first == '[' && second == ']') || (first == '{' && second == '}'))) return true;
  size_t end = from;
  while (end < to && end - from < WORD_MAX && m->text[end] != ')') end++;
  if (end > from && !csec_is_word_of(m, from, end, words)) return false;
  while (end < to && m->text[end] == ')') end++;
  return end == to;
}

static bool has_digit(const struct csec_masking *m, size_t from, size_t to) {
  for (; from < to; from++)
    if (csec_is_number(m->text[from])) return true;
  return false;
}

// "Auth.swift:12"
static bool is_line_number(const struct csec_masking *m, const struct csec_secret_value *value) {
  bool has_dot = false;
  for (size_t i = m->key_start; i < m->key_end; i++) has_dot |= m->text[i] == '.';
  return has_dot && !value->is_spaced && csec_is_number(csec_at(m, value->from));
}

// "arn:aws:secretsmanager:us-east-1:123456789012:secret:db": the name of a secret, behind AWS' partition or account.
static bool is_resource(const struct csec_masking *m) {
  enum { ACCOUNT_SIZE = 12, PARTITION_MAX = 12 };
  size_t start = m->key_start, least = start > PARTITION_MAX + 1 ? start - PARTITION_MAX - 1 : 0;
  if (start == 0 || m->text[start - 1] != ':') return false;
  for (start--; start > least && csec_is_key(m->text[start - 1]);) start--;
  if (start >= 4 && csec_begins(m->text, m->size, start - 4, "arn:")) return true;
  bool has_digits = m->key_start - 1 - start == ACCOUNT_SIZE && start > 0 && m->text[start - 1] == ':';
  return has_digits && csec_digits_end(m, start, m->key_start) == m->key_start - 1;
}

// "pin: 83412"
static bool is_code(const struct csec_masking *m) {
  static const char *const words[] = {"otp", "totp", "pin", NULL};
  return csec_is_word_of(m, m->key_start, m->key_end, words);
}

// "cvv: 123": so short that other values are words of a sentence.
static bool is_card_code(const struct csec_masking *m, const struct csec_secret_value *value) {
  static const char *const words[] = {"cvv", "cvc", "cvv2", "cvc2", NULL};
  return csec_is_word_of(m, m->key_start, m->key_end, words) && csec_digits_end(m, value->from, value->to) == value->to;
}

// "func reset(password: String, key: [UInt8]?)"
static bool is_declared(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const types[] = {"Any",    "Bool",      "Character", "Data",  "Date", "Int", "StaticString",
                                      "String", "Substring", "URL",       "UInt8", "UUID", NULL};
  while (from < to && m->text[from] == '[') from++;
  size_t end = from;
  while (end < to && csec_is_token_letter(m->text[end])) end++;
  for (size_t i = end; i < to; i++) {
    char c = m->text[i];
    if (c != '?' && c != '!' && c != ']' && c != ',' && c != ')') return false;
  }
  for (const char *const *type = types; *type; type++)
    if (csec_is_exactly(m->text + from, end - from, *type)) return true;
  return false;
}

// `*v1.Secret: unknown error`, `"db-secret" : secret "db-secret" not found`: Kubernetes names an object.
static bool is_object(const struct csec_masking *m, const struct csec_secret_value *value) {
  static const char *const nouns[] = {"secret", "secrets", NULL};
  bool has_name = csec_at(m, value->to) == ' ' && csec_is_quote(csec_at(m, value->to + 1));
  if (has_name && csec_is_word_of(m, value->from, value->to, nouns)) return true;
  if (m->key_start == 0 || m->text[m->key_start - 1] != '*') return false;
  size_t dot = m->key_start;
  while (dot < m->key_end && m->text[dot] != '.') dot++;
  return dot < m->key_end;
}

// Sentences have colons too: "unexpected token: else".
static bool is_prose(const struct csec_masking *m, const struct csec_secret_value *value, enum csec_secrecy secrecy) {
  if (!value->is_quoted && is_object(m, value)) return true;
  if (m->is_quoted || value->is_quoted) return false;
  if (!value->is_spaced && is_label(m, value->from, value->to)) return true;
  if (is_line_number(m, value) || is_declared(m, value->from, value->to)) return true;
  if (secrecy == CSEC_SECRET_WORD && csec_is_test(m, value->from)) return true;
  if (secrecy == CSEC_SECRET_WORD) return !csec_looks_random(m, value->from, value->to, is_code(m));
  if (!value->is_spaced || secrecy == CSEC_SECRET_HEADER) return false;
  size_t size = value->to - value->from;
  if (size < SHORTEST_SPACED_VALUE) return !is_card_code(m, value);
  return secrecy == CSEC_SECRET_TOKEN && size < RANDOM_LENGTH && !has_digit(m, value->from, value->to);
}

// "tokens=4096", "cookies=3 n=1": a number of them.
static bool is_number_of_tokens(const struct csec_masking *m, const struct csec_secret_value *value) {
  size_t end = csec_digits_end(m, value->from, value->to);
  bool has_number = end > value->from && (end == value->to || csec_is_blank(m->text[end]));
  if (csec_is_word(m, m->key_start, m->key_end, "cookies")) return has_number;
  if (!csec_is_word(m, m->key_start, m->key_end, "tokens")) return false;
  return csec_digits_end(m, value->from, value->to) == value->to;
}

// "pin=13", "auth=on", "csrf=12ms": too short for a secret, or what a setting has.
static bool is_setting(const struct csec_masking *m, const struct csec_secret_value *value, enum csec_secrecy secrecy) {
  if (secrecy <= CSEC_SECRET_WORD) return csec_is_setting(m, value->from, value->to);
  if (secrecy != CSEC_SECRET_TOKEN || value->to - value->from > 3) return false;
  return csec_digits_end(m, value->from, value->to) == value->to;
}

bool csec_is_plain_value(const struct csec_masking *m, const struct csec_secret_value *value, char sign,
                         enum csec_secrecy secrecy) {
  if (is_nothing(m, value->from, value->to) || is_number_of_tokens(m, value) || is_setting(m, value, secrecy))
    return true;
  if (secrecy == CSEC_SECRET_RARELY && !csec_is_long_random(m->text, value->from, value->to)) return true;
  if (secrecy == CSEC_PERHAPS_SECRET && !csec_looks_random(m, value->from, value->to, false)) return true;
  if (secrecy == CSEC_SECRET_TOKEN && csec_is_of_parser(m, value->from, value->to)) return true;
  if (csec_is_shell_folder(m->text + m->key_start, m->key_end - m->key_start, csec_at(m, value->from))) return true;
  return sign == ':' && (is_resource(m) || is_prose(m, value, secrecy));
}
